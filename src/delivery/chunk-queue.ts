/** Milliseconds before its first frame is shown by which a chunk is with the player: it has to be appended and decoded. */
const MARGIN_MS = 80;

/** Where playback is: `mediaTime` seconds at the time `at`, in ms. */
export interface Playhead {
  readonly mediaTime: number;
  readonly at: number;
  /** Of playback; paused, the one with which it goes on. Above 0. */
  readonly rate: number;
  /** It stands still until more comes, so nothing is due. */
  readonly isWaiting?: boolean;
}

/** When a chunk that starts at `start` seconds has to be handed over, in ms on the playhead's clock. */
export function dueTime(start: number, { mediaTime, at, rate }: Playhead): number {
  return at + (1000 * (start - mediaTime)) / rate - MARGIN_MS;
}

/** The playhead while something is due by it; undefined: nothing plays, or playback waits. */
export function whilePlaying(playhead: Playhead | undefined): Playhead | undefined {
  return playhead?.isWaiting ? undefined : playhead;
}

/** A chunk of a live segment, as far as its hand-over goes. */
export interface QueuedChunk {
  /** Seconds. */
  readonly start: number;
  /** All bytes that must be here are. */
  readonly isPlayable: boolean;
  /** All bytes are. */
  readonly isComplete: boolean;
  /** In ms: until then something may be on its way. Infinity while the server has not sent all that it will. */
  readonly lastChance: number;
}

/**
 * The chunks of a live segment on their way to the player, which gets them in order: each as soon as it is complete, or, with gaps,
 * when it is due; while playback waits, or nothing plays, once nothing more of it can be on its way. One whose reliable bytes are late
 * holds up all that follow.
 */
export class ChunkQueue<Chunk extends QueuedChunk> {
  readonly #chunks: Chunk[] = [];

  add(chunk: Chunk): void {
    this.#chunks.push(chunk);
  }

  /** The one that is handed over next. */
  get first(): Chunk | undefined {
    return this.#chunks[0];
  }

  /** Takes those out that are to be handed over now. Without a playhead nothing plays. */
  take(now: number, playhead: Playhead | undefined): Chunk[] {
    const isReady = (chunk: Chunk): boolean =>
      chunk.isComplete || (chunk.isPlayable && now >= handOverTime(chunk, playhead));
    const held = this.#chunks.findIndex((chunk) => !isReady(chunk));
    return this.#chunks.splice(0, held === -1 ? this.#chunks.length : held);
  }

  /** When `take` may give one though no byte comes; undefined: only bytes, or another playhead, can change that. */
  wakeTime(playhead: Playhead | undefined): number | undefined {
    const { first } = this;
    return first?.isPlayable ? handOverTime(first, playhead) : undefined;
  }
}

/** Of a chunk that has gaps. */
function handOverTime({ start, lastChance }: QueuedChunk, playhead: Playhead | undefined): number {
  const playing = whilePlaying(playhead);
  return playing ? dueTime(start, playing) : lastChance;
}
