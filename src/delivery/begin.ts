/** Seconds of a piece: short enough for a picture soon, long enough that appending it is little work. */
export const PIECE_SECONDS = 0.5;

/** Seconds of the pieces of a segment that is sought into: the viewer waits for one, and a shorter one behind it keeps up sooner. */
const SEEK_PIECE_SECONDS = 0.35;

/** Seconds from the picture that is sought on that come with it: browsers show one once others behind it are there. */
const SEEK_AHEAD = 0.1;

/** Seconds that the pieces of a segment last: the first at least, the others at most. */
export interface PieceLengths {
  readonly first: number;
  readonly others: number;
}

/**
 * How long the pieces of a segment are to be. `playFrom`: seconds from its begin with which playback begins, after a seek: what is shown before
 * that comes in one piece with the picture.
 */
export function pieceLengths(playFrom?: number): PieceLengths {
  if (playFrom === undefined) return { first: 0, others: PIECE_SECONDS };
  return { first: playFrom + SEEK_AHEAD, others: SEEK_PIECE_SECONDS };
}

/** Share of the rate so far that what plays while it arrives may take: links get slower, too. */
export const KEEPS_UP = 0.8;

/** Rounding of seconds. */
const EPSILON = 1e-9;

/** A piece that is still to be handed over, as far as the begin of playback goes. */
export interface ExpectedPiece {
  /** Bytes of it that are still to come. */
  readonly bytesLeft: number;
  /** Seconds of playback until it is due, counted from the begin; 0: it must be here for that. */
  readonly startsAfter: number;
}

/**
 * Whether playback may begin with the first of these pieces, which are in order: all that is left of each arrives before it is due, at
 * `rate` (bit/s, as the download and the link show so far) less a margin.
 */
export function mayBegin(pieces: readonly ExpectedPiece[], rate: number): boolean {
  let bits = 0;
  return pieces.every(({ bytesLeft, startsAfter }) => {
    bits += 8 * bytesLeft;
    return bits <= KEEPS_UP * rate * startsAfter + EPSILON;
  });
}

/**
 * The pieces of a segment and of what comes beside it for the same time, as its sound, in the order in which they are due. What comes beside
 * may be a piece late at the begin: a picture need not wait for its sound.
 */
export function together(own: readonly ExpectedPiece[], beside: readonly ExpectedPiece[]): ExpectedPiece[] {
  const later = beside.map((piece) => ({ ...piece, startsAfter: Math.max(piece.startsAfter, PIECE_SECONDS) }));
  return [...own, ...later].sort((a, b) => a.startsAfter - b.startsAfter);
}

/** A download, as far as it keeps somebody waiting. */
export interface ExpectedDownload {
  /** Seconds until playback has nothing more before its segment; undefined: nothing plays, or playback waits already. */
  readonly buffer: number | undefined;
  /** Seconds that what is left of it is expected to take. */
  readonly seconds: number;
}

/** Whether the viewer waits, or is about to wait, for a segment: then it is handed over in pieces as they come. */
export function isWaitedFor({ buffer, seconds }: ExpectedDownload): boolean {
  return buffer === undefined || KEEPS_UP * buffer < seconds;
}
