import type { ByteRange } from '../../../src/manifest/byte-range.js';
import { concatenate } from '../../../src/concatenate.js';
import type { DeliveredChunk, Following } from '../../../src/voxel-loader/types.js';

/** Asks the session for a file. Rejects where that cannot be. */
export type StartFollowing = (onChunk: (chunk: DeliveredChunk) => void) => Promise<Following>;

export interface GrowingFileOptions {
  readonly follow: StartFollowing;
  /** One has come, before whoever waits for it has it. */
  readonly onChunk: (chunk: DeliveredChunk) => void;
  /** No more will come. */
  readonly onFailure: (error: unknown) => void;
}

/** Who waits for a part of the file. */
export interface Waiting {
  /** A part, which is a chunk; undefined: the whole file, once it has ended. */
  readonly range: ByteRange | undefined;
  /** The chunks that make it. */
  readonly take: (chunks: readonly DeliveredChunk[], bytes: Uint8Array<ArrayBuffer>) => void;
  /** It does not come this way. */
  readonly refuse: () => void;
}

/** One growing file that is followed: its chunks are kept until the file is not needed any more, as a player asks for each when its playlist names it. */
export class GrowingFile {
  readonly #chunks: DeliveredChunk[] = [];
  readonly #waiting = new Set<Waiting>();
  #following: Following | undefined;
  #state: 'growing' | 'complete' | 'over' = 'growing';

  constructor(private readonly options: GrowingFileOptions) {
    void this.#run();
  }

  /** Seconds of it that are here. */
  get seconds(): number {
    const [first, last] = [this.#chunks[0], this.#chunks.at(-1)];
    return first && last ? last.startTime + last.duration - first.startTime : 0;
  }

  /** Whether it has ended with the chunk that ends there, or more is to come; undefined: it does not come this way. */
  endsAt(position: number): boolean | undefined {
    if (this.#state === 'over') return undefined;
    return this.#state === 'complete' && this.#chunks.at(-1)?.range.end === position;
  }

  /** Answers now, or once there is an answer. The function returned takes the question back. */
  ask(waiting: Waiting): () => void {
    this.#waiting.add(waiting);
    this.#answer(waiting);
    return () => void this.#waiting.delete(waiting);
  }

  /** It is not needed any more: who waits is refused. */
  drop(): void {
    this.#settle('over');
    this.#following?.abort();
  }

  async #run(): Promise<void> {
    const { follow, onChunk, onFailure } = this.options;
    try {
      this.#following = await follow((chunk) => {
        if (this.#state !== 'growing') return;
        this.#chunks.push(chunk);
        onChunk(chunk);
        for (const waiting of this.#waiting) this.#answer(waiting);
      });
      if (this.#state === 'over') this.#following.abort();
      await this.#following.result;
      this.#settle('complete');
    } catch (error) {
      if (this.#state === 'over') return;
      onFailure(error);
      this.#settle('over');
    }
  }

  #settle(state: 'complete' | 'over'): void {
    this.#state = state;
    for (const waiting of this.#waiting) this.#answer(waiting);
  }

  #answer(waiting: Waiting): void {
    const { range, take, refuse } = waiting;
    const chunks = range
      ? this.#chunks.filter((chunk) => chunk.range.start === range.start && chunk.range.end === range.end)
      : this.#chunks;
    const isHere = range ? chunks.length > 0 : this.#state === 'complete';
    // Chunks come in order: one that is not there by then is cut otherwise.
    const isPassed =
      this.#state !== 'growing' || (range && this.#chunks.some(({ range: { end } }) => end > range.start));
    if (!isHere && !isPassed) return;
    this.#waiting.delete(waiting);
    if (isHere) take(chunks, concatenate(chunks.map(({ bytes }) => bytes)));
    else refuse();
  }
}
