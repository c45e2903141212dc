import { totalBytes } from '../manifest/byte-range.js';
import {
  affordable,
  arrivalOver,
  AT_EASE,
  blockAt,
  blockOf,
  earliest,
  finishTime,
  hasRoom,
  isSilent,
  LEAST_BLOCK,
  withQueued,
  without,
  type Dealt,
  type PathLink,
  type Schedule,
  type UnderWay,
  type Work,
} from './schedule.js';
import { sum } from './sum.js';

/** Share of the buffer's time that is counted on: what takes longer may be late. */
const COUNTED_ON = 0.8;

/** A path that loses so much more of its datagrams than the best one carries what is worth less. */
const LOSSIER = 0.01;

/** Share of the time until bytes come that a repeat may take: predictions err. */
const WORTHWHILE = 0.75;

/** The same where playback waits for them: a path that slow is as good as silent, and what it owes is asked for however much was before. */
const STUCK = 0.1;

/**
 * Every block goes where it arrives first, so that bytes come in about the order of their worth over all paths together: a path
 * that would bring the next block sooner than any other takes that, any other takes bytes from so far behind as the rest will have got
 * to by then, and none where they would be done sooner. When everything should be in time, a lossy path takes the least valuable
 * datagrams. With little in the buffer, what a silent path owes is asked for on another at once, and what is late on its path when
 * nothing else is left (XLINK's re-injection); that is limited, unless playback waits for a path that hardly moves. A metered path is used to avoid a stall only.
 */
export const voxelSchedule: Schedule = (work, paths) => {
  const usable = paths.filter((path) => path.setup === 0 && !isSilent(path));
  const open = affordable(work, usable);
  const silent = new Set(paths.filter(isSilent).map(({ id }) => id));
  const isOwedInSilence = ({ path }: UnderWay): boolean => silent.has(path) || !paths.some(({ id }) => id === path);
  const moved = repeats(work, open, isOwedInSilence, () => Infinity);
  const { deals, now, left } = deal(work, moved.now);
  if (left.length > 0) return [...moved.deals, ...deals];
  /** Seconds until what is on its way over its path is here. */
  const expected = (piece: UnderWay): number => {
    const path = now.find(({ id }) => id === piece.path);
    return path ? path.queued / path.rate : Infinity;
  };
  const late = repeats(work, now, (piece) => !isOwedInSilence(piece), expected, work.repeatable);
  return [...moved.deals, ...deals, ...late.deals];
};

/** What is left, as far as these paths take it now. */
function deal(
  work: Work,
  paths: readonly PathLink[],
): { deals: Dealt[]; now: readonly PathLink[]; left: Work['left'] } {
  const deals: Dealt[] = [];
  let now = paths;
  let { left } = work;
  let free = now.filter(hasRoom);
  while (free.length > 0 && left.length > 0) {
    const bytes = totalBytes(left);
    const first = Math.min(LEAST_BLOCK, bytes);
    const path = earliest(free, first)!;
    const offset = placeFor(path, now, { ...work, left });
    // At the end all should be done at the same time.
    const share = ((bytes - offset) * path.rate) / sum(now.map(({ rate }) => rate));
    const most = Math.min(blockOf(path), Math.max(LEAST_BLOCK, Math.round(share)));
    const block = blockAt(left, work.reliableLength, { offset, most });
    if (block) {
      deals.push({ path: path.id, start: block.start, end: block.end, isRepeat: false });
      left = without(left, block);
    }
    const after = withQueued(path, block ? block.end - block.start : 0);
    now = now.map((one) => (one === path ? after : one));
    free = free.map((one) => (one === path ? after : one)).filter((one) => hasRoom(one) && (block ?? one !== after));
  }
  return { deals, now, left };
}

/** How many of the bytes that are left the other paths should bring before this one's next block. */
function placeFor(path: PathLink, paths: readonly PathLink[], { left, reliableLength, buffer, before }: Work): number {
  const others = paths.filter(({ id }) => id !== path.id);
  const bytes = totalBytes(left);
  const first = Math.min(LEAST_BLOCK, bytes);
  const time = arrivalOver(path, first);
  const isFirst = others.every((other) => time <= arrivalOver(other, first));
  // What they bring meanwhile, beyond what is on its way over them.
  const brought = ({ rate, queued, roundTrip }: PathLink): number => Math.max(0, rate * (time - roundTrip) - queued);
  const sooner = isFirst ? 0 : Math.max(0, sum(others.map(brought)) - before);
  const meanwhile = LEAST_BLOCK * Math.floor(sooner / LEAST_BLOCK);
  const isLossy = path.lossRate > Math.min(...paths.map(({ lossRate }) => lossRate)) + LOSSIER;
  const isReliable = left[0]!.start < reliableLength;
  if (!isLossy || isReliable || finishTime(paths, bytes) > COUNTED_ON * buffer) return meanwhile;
  const own = Math.round((bytes * path.rate) / sum(paths.map(({ rate }) => rate)));
  return Math.max(meanwhile, bytes - Math.max(own, blockOf(path)));
}

/** Bytes under way again, those first that are worth most, as far as another path brings them sooner than their own: `expected`, in seconds. */
function repeats(
  { underWay, buffer }: Work,
  paths: readonly PathLink[],
  isWanted: (piece: UnderWay) => boolean,
  expected: (piece: UnderWay) => number,
  limit = Infinity,
): { deals: Dealt[]; now: readonly PathLink[] } {
  const deals: Dealt[] = [];
  let now = paths;
  let repeatable = limit;
  const wanted = buffer > AT_EASE ? [] : underWay.filter((piece) => !piece.isRepeated && isWanted(piece));
  for (const piece of wanted.sort((a, b) => a.start - b.start)) {
    const { start, end } = piece;
    const bytes = end - start;
    const others = now.filter((path) => path.id !== piece.path && hasRoom(path));
    const best = earliest(others, bytes);
    if (!best) continue;
    const sooner = arrivalOver(best, bytes) / expected(piece);
    const isStuck = sooner < STUCK && arrivalOver(best, bytes) > buffer;
    if (sooner > WORTHWHILE || (bytes > repeatable && !isStuck)) continue;
    repeatable -= bytes;
    deals.push({ path: best.id, start, end, isRepeat: true });
    now = now.map((path) => (path === best ? withQueued(path, bytes) : path));
  }
  return { deals, now };
}
