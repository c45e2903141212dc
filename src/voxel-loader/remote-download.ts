import { deferred } from './deferred.js';
import { VoxelError } from './errors.js';
import type { DeliveredChunk, DeliveredPiece, DeliveredSegment, SegmentDownload, SegmentProgress } from './types.js';

/** A download in the worker, as far as the page has heard of it. */
export class RemoteDownload implements SegmentDownload {
  readonly #outcome = deferred<DeliveredSegment>();
  readonly result = this.#outcome.promise;
  /** When its bytes could come, as the worker says. */
  #began = performance.now();
  #isSettled = false;
  #hasPieces = false;
  #progress: Omit<SegmentProgress, 'elapsed'> = {
    phase: 'reliable',
    bytesReliable: 0,
    bytesUnreliable: 0,
    bytesRequested: 0,
  };

  constructor(
    /** Its number. */
    readonly id: number,
    private readonly post: (type: 'keep' | 'release' | 'hand-over') => void,
    private onPiece?: (piece: DeliveredChunk) => void,
  ) {}

  report(progress: SegmentProgress): void {
    this.#progress = progress;
    this.#began = performance.now() - progress.elapsed * 1000;
  }

  /** What is followed comes as chunks, what is downloaded as pieces. */
  receive(piece: DeliveredPiece | DeliveredChunk): void {
    this.#hasPieces = true;
    if (!this.#isSettled) this.onPiece?.(piece as DeliveredChunk);
  }

  handOver(onPiece: (piece: DeliveredPiece) => void): void {
    if (this.#isSettled || this.onPiece) return;
    this.onPiece = onPiece;
    this.post('hand-over');
  }

  /** Undefined: it was followed, and its pieces were all of it. */
  deliver(delivered: DeliveredSegment | undefined): void {
    if (this.#isSettled) delivered?.kept?.release();
    this.#isSettled = true;
    this.#outcome.resolve(delivered!);
  }

  reject(error: VoxelError): void {
    this.#isSettled = true;
    this.#outcome.reject(error);
  }

  progress(): SegmentProgress {
    return { ...this.#progress, elapsed: (performance.now() - this.#began) / 1000 };
  }

  keep(): boolean {
    this.post('keep');
    return this.#progress.phase === 'unreliable';
  }

  abort(): void {
    if (this.#isSettled) return;
    this.post('release');
    this.reject(new VoxelError('aborted', 'the download was aborted'));
  }

  /** Its session is gone. What it has brought is released, unless another download may continue it. */
  giveUp(reason: VoxelError): void {
    if (this.#isSettled) return;
    if (!this.#hasPieces) this.post('release');
    this.reject(reason);
  }
}
