import { totalBytes, type ByteRange } from '../../manifest/byte-range.js';
import type { SegmentAssembly } from './assembly.js';
import { planStreams, type PlannedRequest } from './request-plan.js';

/** Requests at a time, of the 64 that a server takes from all downloads of a session; what is lost meanwhile waits for them. */
const MAX_REQUESTS = 8;

export interface RecoveryOptions {
  readonly assembly: SegmentAssembly;
  /** Those of the places that can be in time if they are asked for now, in the order in which to ask. */
  readonly inTime: (places: readonly ByteRange[]) => readonly ByteRange[];
  /** Sends a request; `onArrival` is called with the number of new bytes, `onFinished` once, whatever became of it. */
  readonly send: (planned: PlannedRequest, onArrival: (bytes: number) => void, onFinished: () => void) => void;
}

/** Asks on streams for what a running download has lost. */
export class Recovery {
  /** Pieces of the delivery order that are not yet asked for again. */
  #lost: readonly ByteRange[] = [];
  #running = 0;
  /** Bytes asked for again. */
  bytesRepeated = 0;
  /** Bytes that were here no sooner than their repeat. */
  bytesRecovered = 0;

  constructor(private readonly options: RecoveryOptions) {}

  /** Asks for these places of the delivery order, or gives them up. */
  add(places: readonly ByteRange[]): void {
    this.#lost = this.options.inTime([...this.#lost, ...places]);
    const requests = planStreams(this.options.assembly, this.#lost);
    const next = requests.splice(0, MAX_REQUESTS - this.#running);
    this.#lost = requests.flatMap((planned) => planned.places);
    for (const planned of next) this.#send(planned);
  }

  #send(planned: PlannedRequest): void {
    this.#running++;
    this.bytesRepeated += totalBytes(planned.places);
    this.options.send(
      planned,
      (bytes) => (this.bytesRecovered += bytes),
      () => {
        this.#running--;
        this.add([]);
      },
    );
  }
}
