import { BoxReader } from './box-reader.js';
import type { Track } from './codecs.js';
import { malformed, unsupported } from './errors.js';
import { decodeTimes, type Fragment, parseFragments } from './fmp4.js';
import { canLeaveOut, type Removal, writePiece } from './remove-samples.js';
import { keepComplete, type Means, repairArrived } from './repairer.js';
import type { CutPiece, ReceivedBytes, RepairedSegment, Repairer } from './types.js';

/** A place between samples where a piece may begin or end. */
interface Cut {
  /** Place of the sample behind it in decode order, and position of the piece that begins there. */
  readonly place: number;
  readonly offset: number;
  /** When what is behind it begins to be shown, in the track's timescale. */
  readonly shown: number;
}

/** The repairer of pieces of segments. */
export function pieceRepairer(means: Means): Pick<Repairer, 'pieces' | 'repairPiece'> {
  const { track } = means;
  return {
    pieces: (segment, received, seconds, first = 0) => cutPieces(track, { segment, received }, { first, seconds }),
    repairPiece(segment, received, piece, plan, before) {
      const whole = { segment, received };
      const write = (bytes: Uint8Array, removal: Removal) => writePiece(track, bytes, piece, removal);
      const isAll = piece.number === 0 && piece.isLast;
      const known = piece.isLast ? segment : knownPart(segment, received);
      const arrived = isAll ? whole : { segment: known, received, piece: { ...piece, write } };
      const repaired = (): RepairedSegment => {
        try {
          return repairArrived(means, arrived, plan, before);
        } catch (error) {
          // A complete piece plays whatever it is made of.
          if (received.contains(piece.start, piece.end)) return keepComplete(means, arrived, before);
          throw error;
        }
      };
      const { bytes, ...facts } = repaired();
      const isNothingLeft = piece.isLast && facts.frames.every(({ removed }) => removed);
      // No picture would stand until the segment's end: all of it, put over its pieces, has one that does.
      return { ...facts, bytes: isNothingLeft ? repairArrived(means, whole, plan).bytes : bytes };
    },
  };
}

interface Whole {
  readonly segment: Uint8Array;
  readonly received: ReceivedBytes;
}

/** Seconds: the first piece at least, each at most. */
interface Lengths {
  readonly first: number;
  readonly seconds: number;
}

function cutPieces(track: Track, { segment, received }: Whole, { first: least, seconds }: Lengths): CutPiece[] {
  const { timescale } = track;
  if (!timescale) throw malformed('a track without a timescale cannot be cut');
  // Its sample entry is of another kind than those that are read.
  if (track.descriptions.some(({ type }) => type === 'enca')) throw unsupported('cutting sound that is encrypted');
  const known = knownPart(segment, received);
  if (known.length === 0) return [];
  const isWhole = known.length === segment.length;
  const fragments = parseFragments(known, undefined, track.defaults);
  const cuts = anchors(track, known, fragments);
  const [first] = cuts;
  if (!first) throw malformed('a segment without samples cannot be cut');
  if (isWhole) cuts.push(endOf(segment, fragments, first.shown));
  const chosen = choose(cuts, { first: least * timescale, most: seconds * timescale, isWhole });
  return chosen.slice(1).map((to, number) => {
    const from = chosen[number]!;
    return {
      ...{ number, start: number === 0 ? 0 : from.offset, end: to.offset, from: from.place, to: to.place },
      ...{ startTime: from.shown / timescale, duration: (to.shown - from.shown) / timescale },
      isLast: isWhole && number === chosen.length - 2,
    };
  });
}

/** The start of a segment as far as all of its boxes have arrived, and of each `mdat` its header: whole fragments, or the segment. */
function knownPart(segment: Uint8Array, received: ReceivedBytes): Uint8Array {
  const reader = new BoxReader(segment);
  const isHere = (start: number, end: number): boolean => received.contains(start, Math.min(end, segment.length));
  let known = 0;
  for (let at = 0; at < segment.length;) {
    // A size of 64 bits follows where that of 32 bits is 1.
    const isLong = isHere(at, at + 8) && [0, 0, 0, 1].every((byte, index) => segment[at + index] === byte);
    if (!isHere(at, at + (isLong ? 16 : 8))) break;
    const { type, payload, end } = reader.boxAt(at);
    const isMedia = type === 'mdat';
    if (!isHere(at, isMedia ? payload : end)) break;
    if (isMedia || end === segment.length) known = end;
    at = end;
  }
  return segment.subarray(0, known);
}

/** The samples before which all that come before in decode order are shown before all that follow. */
function anchors(track: Track, known: Uint8Array, fragments: readonly Fragment[]): Cut[] {
  const cuts: Cut[] = [];
  let latest = -Infinity;
  let place = 0;
  let time = 0;
  for (const fragment of fragments) {
    time = fragment.decodeTime ?? time;
    const shown = fragment.samples.map(
      ({ duration, compositionOffset }) => (time += duration) - duration + compositionOffset,
    );
    const earliest = shown.slice();
    for (let index = earliest.length - 2; index >= 0; index--)
      earliest[index] = Math.min(earliest[index]!, earliest[index + 1]!);
    const isDivisible = canLeaveOut(track, known, fragment);
    fragment.samples.forEach((sample, index) => {
      const isFirst = index === 0;
      if (latest < earliest[index]! && (isFirst || isDivisible))
        cuts.push({ place, offset: isFirst ? fragment.start : sample.offset, shown: earliest[index]! });
      latest = Math.max(latest, shown[index]!);
      place++;
    });
  }
  return cuts;
}

/** Where a segment ends that begins to be shown at `first`. */
function endOf(segment: Uint8Array, fragments: readonly Fragment[], first: number): Cut {
  const place = fragments.reduce((sum, { samples }) => sum + samples.length, 0);
  const [start, end] = decodeTimes(fragments);
  return { place, offset: segment.length, shown: first + end - start };
}

interface Choice {
  /** In the track's timescale. */
  readonly first: number;
  readonly most: number;
  readonly isWhole: boolean;
}

/** The first cut; with `first`, the next one that is so much further; then each time the last one that is no more than `most` further, else the next. */
function choose(cuts: readonly Cut[], { first, most, isWhole }: Choice): Cut[] {
  const chosen = cuts.slice(0, 1);
  cuts.slice(1).forEach((cut, index) => {
    const isFirst = first > 0 && chosen.length === 1;
    const limit = chosen.at(-1)!.shown + (isFirst ? first : most);
    const next = cuts[index + 2];
    if (cut.shown >= limit || (next ? !isFirst && next.shown > limit : isWhole)) chosen.push(cut);
  });
  return chosen;
}
