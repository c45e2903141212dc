/** Milliseconds before its first frame is shown by which a piece is with the player: it has to be appended and decoded. */
const MARGIN_MS = 80;

/** Place of playback: `mediaTime` seconds at the time `at`, in ms. */
export interface Playhead {
  readonly mediaTime: number;
  readonly at: number;
  /** Rate of playback; paused, the one with which it goes on. Above 0. */
  readonly rate: number;
  /** It stands still until more comes, so nothing is due. */
  readonly isWaiting?: boolean;
}

/** Time at which a piece that starts at `startTime` seconds has to be handed over, in ms on the playhead's clock. */
export function dueTime(startTime: number, { mediaTime, at, rate }: Playhead): number {
  return at + (1000 * (startTime - mediaTime)) / rate - MARGIN_MS;
}

/** The playhead while something is due by it; undefined: nothing plays, or playback waits. */
export function whilePlaying(playhead: Playhead | undefined): Playhead | undefined {
  return playhead?.isWaiting ? undefined : playhead;
}

/** A piece of a segment, as far as its hand-over goes. */
export interface QueuedPiece {
  /** Media time in seconds. */
  readonly startTime: number;
  /** All bytes that must be here are. */
  readonly isPlayable: boolean;
  /** All bytes are. */
  readonly isComplete: boolean;
  /** Time in ms until which something may be on its way. Infinity while the server has not sent all that it will. */
  readonly lastChance: number;
}

/**
 * Pieces on their way to the player, which gets them in order: each as soon as it is complete, or, with gaps, when it is due; while
 * playback waits, or nothing plays, once nothing more of it can be on its way. One whose reliable bytes are late holds up all that
 * follow.
 */
export class PieceQueue<Queued extends QueuedPiece> {
  readonly #pieces: Queued[] = [];

  add(piece: Queued): void {
    this.#pieces.push(piece);
  }

  /** The one that is handed over next. */
  get first(): Queued | undefined {
    return this.#pieces[0];
  }

  /** Takes those out that are to be handed over now. Without a playhead nothing plays. */
  take(now: number, playhead: Playhead | undefined): Queued[] {
    const isReady = (piece: Queued): boolean =>
      piece.isComplete || (piece.isPlayable && now >= handOverTime(piece, playhead));
    const held = this.#pieces.findIndex((piece) => !isReady(piece));
    return this.#pieces.splice(0, held === -1 ? this.#pieces.length : held);
  }

  /** When `take` may give one though no byte comes; undefined: only bytes, or another playhead, can change that. */
  wakeTime(playhead: Playhead | undefined): number | undefined {
    const { first } = this;
    return first?.isPlayable ? handOverTime(first, playhead) : undefined;
  }
}

/** Time at which a piece with gaps is handed over. */
function handOverTime({ startTime, lastChance }: QueuedPiece, playhead: Playhead | undefined): number {
  const playing = whilePlaying(playhead);
  return playing ? dueTime(startTime, playing) : lastChance;
}
