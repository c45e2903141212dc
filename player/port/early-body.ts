/** Bytes of a segment that were asked for over HTTP ahead of the player. */
export interface EarlyBody {
  /** When they were asked for, on the clock of `performance.now()`. */
  readonly startedAt: number;
  /** All of the segment; what has not come is zero. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** How many have come, from the first on. */
  readonly loaded: number;
  /** Calls that, and nothing else any more, when more has come. */
  follow(onProgress: () => void): void;
  /** Resolves when all has come; rejects when no more will. */
  readonly ended: Promise<unknown>;
  cancel(): void;
}
