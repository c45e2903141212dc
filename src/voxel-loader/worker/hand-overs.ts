import type { Playhead } from '../../delivery/piece-queue.js';
import { VoxelError } from '../errors.js';
import type { WorkerMessage } from '../messages.js';
import type { FedRequest, SegmentRequest } from '../types.js';
import type { FedSegment } from './fed-segment.js';
import { HandOver, type Remainder } from './hand-over.js';
import { repairPlan } from './repair-plan.js';
import type { Repairers } from './repairers.js';
import type { PieceSource } from './types.js';

/** Segments that were broken off with pieces of them handed over, and that may be continued: the latest. Each is as large as a segment. */
const MAX_BROKEN_OFF = 2;

/** What of the host its segments are handed over with. */
export interface HandOverHost {
  readonly repairers: Repairers;
  /** Milliseconds since 1970. */
  readonly playhead: Playhead | undefined;
  post(message: WorkerMessage, transfer?: Transferable[]): void;
}

/** What a host downloads or is fed, and how it is handed over in pieces, by the number of the download. */
export class HandOvers {
  readonly #running = new Map<number, HandOver>();
  readonly #brokenOff = new Map<number, HandOver>();

  constructor(private readonly host: HandOverHost) {}

  /** A segment is on its way. Where it is not known when it is played it is not handed over in pieces. */
  add(
    id: number,
    source: PieceSource,
    { time, ...request }: Omit<SegmentRequest, 'after'> | Omit<FedRequest, 'continues'>,
  ): void {
    if (!time) return;
    const cutter = this.host.repairers.cutter(request.representation, repairPlan(request.map));
    const overlaps = ({ time: other }: HandOver): boolean =>
      other.start < time.start + time.duration && time.start < other.start + other.duration;
    const options = {
      request: { ...request, time },
      cutter,
      playhead: () => this.host.playhead,
      now: () => performance.timeOrigin + performance.now(),
    };
    const handOver: HandOver = new HandOver(source, {
      ...options,
      beside: () => [...this.#running.values()].filter((other) => other !== handOver && overlaps(other)),
    });
    this.#running.set(id, handOver);
  }

  /** Goes on with a download that was broken off, or still runs. Throws `VoxelError` where it is not known, or no longer. */
  continue(id: number, former: number, segment: FedSegment): void {
    const handOver = this.#running.get(former) ?? this.#brokenOff.get(former);
    if (!handOver) throw new VoxelError('aborted', 'what the download continues is no longer here');
    this.forget(former);
    segment.takeOver(handOver.source.assembly);
    handOver.continueWith(segment);
    this.#running.set(id, handOver);
  }

  /** Hands it over in pieces from now on. */
  start(id: number): void {
    this.#running.get(id)?.start((piece) => this.host.post({ type: 'piece', id, piece }, [piece.bytes.buffer]));
  }

  /** Playback has moved otherwise than expected. */
  look(): void {
    for (const handOver of this.#running.values()) handOver.look();
  }

  /** Takes what is left of a segment of which pieces were handed over; undefined: none was. Throws `RepairError`. */
  finish(id: number): Remainder | undefined {
    const remainder = this.#running.get(id)?.finish();
    this.#running.delete(id);
    return remainder;
  }

  /** The download has failed: another may continue what it has handed over. */
  breakOff(id: number): void {
    const handOver = this.#running.get(id);
    if (!handOver) return;
    handOver.stop();
    this.forget(id);
    if (!handOver.hasBegun) return;
    this.#brokenOff.set(id, handOver);
    if (this.#brokenOff.size > MAX_BROKEN_OFF) this.#brokenOff.delete(this.#brokenOff.keys().next().value!);
  }

  /** Nobody goes on with it. */
  forget(id: number): void {
    this.#running.get(id)?.stop();
    this.#running.delete(id);
    this.#brokenOff.delete(id);
  }
}
