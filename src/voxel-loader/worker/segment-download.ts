import { totalBytes } from '../../manifest/byte-range.js';
import { SegmentAssembly } from './assembly.js';
import { VoxelError } from '../errors.js';
import { RangeExchange } from './range-exchange.js';
import { planRequests, type PlannedRequest } from './request-plan.js';
import type { SegmentProgress } from '../types.js';
import type { Download, DownloadRequest, ReceivedSegment, Session } from './types.js';

/**
 * A download with nothing arriving for so long has failed. Longer than the outages of mobile links that QUIC itself
 * recovers from, shorter than its idle timeout (30 s and more).
 */
export const STALL_TIMEOUT_MS = 10_000;

/**
 * Downloads one segment: the reliable ranges on a stream and, asked for at the same moment because the server sends
 * reliable bytes first, the prefix of the unreliable ranges as datagrams. `now` gives milliseconds.
 *
 * A failure of the unreliable part after every reliable byte is here is none of the segment: it ends the download with
 * what has arrived. Not so a file that has changed: nothing of two versions is put together. Throws `RangeError` when `unreliableBytes` is more than the segment has.
 */
export function downloadSegment(
  session: Session,
  request: DownloadRequest,
  { now = () => performance.now() }: { readonly now?: () => number } = {},
): Download {
  return new RunningDownload(session, request, now);
}

class RunningDownload implements Download {
  readonly result: Promise<ReceivedSegment>;
  #resolve!: (received: ReceivedSegment) => void;
  #reject!: (error: VoxelError) => void;
  readonly #assembly: SegmentAssembly;
  readonly #exchanges: readonly RangeExchange[];
  readonly #now: () => number;
  readonly #started: number;
  #firstActivity: number | undefined;
  #lastActivity: number;
  #stallTimer: ReturnType<typeof setTimeout> | undefined;
  #running: number;
  #failure: VoxelError | undefined;
  #settled = false;

  constructor(session: Session, request: DownloadRequest, now: () => number) {
    const assembly = new SegmentAssembly(request.map, request.unreliableBytes);
    this.#assembly = assembly;
    this.#now = now;
    this.#started = this.#lastActivity = now();
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const onActivity = () => {
      this.#lastActivity = now();
      this.#firstActivity ??= this.#lastActivity;
    };
    this.#exchanges = planRequests(assembly, request.delivery).map((planned) => {
      const exchange = new RangeExchange(planned, { session, request, assembly, onActivity });
      void exchange.finished.then((failure) => this.#onFinished(planned, failure));
      return exchange;
    });
    this.#running = this.#exchanges.length;
    this.#watchForStall();
  }

  progress(): SegmentProgress {
    return {
      phase: this.#assembly.reliableComplete ? 'unreliable' : 'reliable',
      bytesReliable: this.#assembly.bytesReliable,
      bytesUnreliable: this.#assembly.bytesUnreliable,
      bytesRequested: this.#assembly.length,
      elapsed: (this.#now() - this.#started) / 1000,
    };
  }

  keep(): boolean {
    if (this.#settled || !this.#assembly.reliableComplete) return false;
    this.#deliver(this.#now());
    return true;
  }

  abort(): void {
    this.#fail(new VoxelError('aborted', 'the download was aborted'));
  }

  #onFinished(planned: PlannedRequest, failure: VoxelError | undefined): void {
    if (this.#settled) return;
    const withReliableBytes = planned.start < this.#assembly.reliableLength;
    const isMissed = withReliableBytes && !this.#assembly.reliableComplete;
    if (failure && (isMissed || failure.code === 'file-changed')) {
      this.#fail(failure);
      return;
    }
    this.#failure ??= failure;
    this.#running--;
    if (this.#running === 0) this.#deliver(this.#failure ? this.#now() : this.#lastActivity);
  }

  #watchForStall(): void {
    const left = STALL_TIMEOUT_MS - (this.#now() - this.#lastActivity);
    if (left > 0) {
      this.#stallTimer = setTimeout(() => this.#watchForStall(), left);
      return;
    }
    const timeout = new VoxelError('timeout', `nothing arrived for ${STALL_TIMEOUT_MS / 1000} s`);
    if (!this.#assembly.reliableComplete) {
      this.#fail(timeout);
      return;
    }
    this.#failure ??= timeout;
    this.#deliver(this.#now());
  }

  /** `ended`: when the last byte came, or when it was decided that no more would. */
  #deliver(ended: number): void {
    this.#stop();
    const assembly = this.#assembly;
    const lost = this.#exchanges.flatMap((exchange) => exchange.lost());
    const bytesLost = totalBytes(lost);
    this.#resolve({
      bytes: assembly.bytes,
      received: assembly.received(),
      bytesReliable: assembly.bytesReliable,
      bytesUnreliable: assembly.bytesUnreliable,
      lost,
      bytesLost,
      bytesUnsent: assembly.length - assembly.bytesReliable - assembly.bytesUnreliable - bytesLost,
      seconds: (ended - this.#started) / 1000,
      timeToFirstByte: ((this.#firstActivity ?? ended) - this.#started) / 1000,
      rtt: this.#exchanges.map((exchange) => exchange.rtt).find((rtt) => rtt !== undefined),
      failure: this.#failure,
    });
  }

  #fail(error: VoxelError): void {
    if (this.#settled) return;
    this.#stop();
    this.#reject(error);
  }

  /** From here on nothing is written to the segment. */
  #stop(): void {
    this.#settled = true;
    clearTimeout(this.#stallTimer);
    for (const exchange of this.#exchanges) exchange.stop();
  }
}
