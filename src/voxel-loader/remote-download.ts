import { VoxelError } from './errors.js';
import type { DeliveredSegment, SegmentDownload, SegmentProgress } from './types.js';

/** A download in the worker, as far as the page has heard of it. */
export class RemoteDownload implements SegmentDownload {
  readonly result: Promise<DeliveredSegment>;
  readonly #post: (type: 'keep' | 'release') => void;
  /** When its bytes could come, as the worker says. */
  #began = performance.now();
  #resolve!: (delivered: DeliveredSegment) => void;
  #reject!: (error: VoxelError) => void;
  #isSettled = false;
  #progress: Omit<SegmentProgress, 'elapsed'> = {
    phase: 'reliable',
    bytesReliable: 0,
    bytesUnreliable: 0,
    bytesRequested: 0,
  };

  constructor(post: (type: 'keep' | 'release') => void) {
    this.#post = post;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  report(progress: SegmentProgress): void {
    this.#progress = progress;
    this.#began = performance.now() - progress.elapsed * 1000;
  }

  deliver(delivered: DeliveredSegment): void {
    this.#isSettled = true;
    this.#resolve(delivered);
  }

  reject(error: VoxelError): void {
    this.#isSettled = true;
    this.#reject(error);
  }

  progress(): SegmentProgress {
    return { ...this.#progress, elapsed: (performance.now() - this.#began) / 1000 };
  }

  keep(): boolean {
    this.#post('keep');
    return this.#progress.phase === 'unreliable';
  }

  abort(): void {
    this.giveUp(new VoxelError('aborted', 'the download was aborted'));
  }

  /** Nobody waits for it any more; what it has brought meanwhile is released. */
  giveUp(reason: VoxelError): void {
    if (this.#isSettled) return;
    this.#post('release');
    this.reject(reason);
  }
}
