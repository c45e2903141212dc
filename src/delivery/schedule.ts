import { totalBytes, type ByteRange } from '../manifest/byte-range.js';
import { arrival } from './arrival.js';
import { sum } from './sum.js';

/** Initial window in bytes: 10 segments (RFC 6928). */
export const INITIAL_WINDOW = 10 * 1460;

/** A way to the service, as it is when bytes are dealt out. Times in seconds. */
export interface PathLink {
  readonly id: number;
  /** Bytes per second. */
  readonly rate: number;
  readonly roundTrip: number;
  /** Share of datagrams that are lost on the way. */
  readonly lossRate: number;
  /** Bytes that were asked for over it and are not here. */
  readonly queued: number;
  /** Congestion window in bytes; Infinity: not in slow start. */
  readonly window: number;
  /** Seconds until it takes a request: what its handshakes still take, 0 once it is open. */
  readonly setup: number;
  /** Seconds since anything came, while bytes are owed; 0 where none are. */
  readonly silence: number;
  /** Above 0: metered. */
  readonly cost: number;
}

/** Bytes that were asked for over a path and are not here. */
export interface UnderWay extends ByteRange {
  readonly path: number;
  /** They were asked for a second time, over another path. */
  readonly isRepeated: boolean;
}

/**
 * One download. Its bytes count in delivery order: first the reliable ones, then those of the unreliable part that are asked for,
 * most valuable first.
 */
export interface Work {
  readonly reliableLength: number;
  /** Not yet asked for, ascending and apart. */
  readonly left: readonly ByteRange[];
  /** Bytes of the downloads before this one that are not yet asked for: they go first. */
  readonly before: number;
  readonly underWay: readonly UnderWay[];
  /** Seconds until the buffer runs out; Infinity: nothing plays. */
  readonly buffer: number;
  /** Bytes that may be asked for a second time. */
  readonly repeatable: number;
}

/** Bytes to ask for over a path, now. */
export interface Dealt extends ByteRange {
  readonly path: number;
  /** They are under way on another path, too. */
  readonly isRepeat: boolean;
}

/**
 * Deals the bytes of a download out to paths, as far as that should be done now; it is asked again whenever bytes have come, a path
 * has come or gone, and every 50 ms. What is dealt to a path that is not open yet is not asked for: it waits, or goes elsewhere the
 * next time.
 */
export type Schedule = (work: Work, paths: readonly PathLink[]) => readonly Dealt[];

/** Seconds of buffer with which nothing is asked for twice, and the next segment gets what paths still take while something of this one is left. */
export const AT_EASE = 4;

/** Seconds of a path's rate that are asked for at once. */
const BLOCK_TIME = 0.1;
/** Bytes of that, at least and at most: a request has a price, and a long one decides for a long time. */
export const LEAST_BLOCK = 16_384;
const MOST_BLOCK = 262_144;

/** Bytes of one request over that path: one that is not known yet is asked for little. */
export function blockOf({ rate, window }: PathLink): number {
  if (window < Infinity) return LEAST_BLOCK;
  return Math.round(Math.min(MOST_BLOCK, Math.max(LEAST_BLOCK, rate * BLOCK_TIME)));
}

/** Bytes on their way over a path that is in slow start, with which it is asked for no more. */
const FIRST_ROOM = LEAST_BLOCK;

/**
 * Whether a path takes another request: less is on its way over it than it carries in two round trips and a block's time. With one, a
 * path would never show that it carries more.
 */
export function hasRoom(path: PathLink): boolean {
  if (path.window < Infinity) return path.queued < FIRST_ROOM;
  return path.queued < Math.max(2 * path.rate * path.roundTrip, INITIAL_WINDOW) + blockOf(path);
}

/** Round trips, and seconds at least, after which a path that brings nothing is not counted on. */
const SILENT_ROUND_TRIPS = 4;
const LEAST_SILENCE = 0.3;

export function isSilent({ silence, roundTrip }: Pick<PathLink, 'silence' | 'roundTrip'>): boolean {
  return silence > Math.max(LEAST_SILENCE, SILENT_ROUND_TRIPS * roundTrip);
}

/** Seconds until bytes that are asked for over it now are here, after what is on its way. */
export function arrivalOver(path: PathLink, bytes: number): number {
  const { rate, roundTrip, queued, setup, window } = path;
  return arrival(bytes, { rate, roundTrip, transfers: queued > 0 ? 1 : 0 }, { setup, remaining: queued, window });
}

/** The path over which so many bytes arrive first, of equals the first; undefined: there is none. */
export function earliest(paths: readonly PathLink[], bytes: number): PathLink | undefined {
  let best: PathLink | undefined;
  for (const path of paths) if (!best || arrivalOver(path, bytes) < arrivalOver(best, bytes)) best = path;
  return best;
}

/** A path to which bytes have been dealt. */
export function withQueued(path: PathLink, bytes: number): PathLink {
  return { ...path, queued: path.queued + bytes };
}

/**
 * The first `most` of these bytes that are not before `offset` of them, as one request: from one range, and either reliable or not.
 * Undefined: there are not so many.
 */
export function blockAt(
  left: readonly ByteRange[],
  reliableLength: number,
  { offset, most }: { readonly offset: number; readonly most: number },
): ByteRange | undefined {
  let skipped = 0;
  for (const { start, end } of left) {
    const wanted = start + Math.max(0, offset - skipped);
    skipped += end - start;
    if (wanted >= end) continue;
    const isReliable = wanted < reliableLength;
    const first = isReliable ? start : Math.max(start, reliableLength);
    const boundary = isReliable ? Math.min(end, reliableLength) : end;
    // No crumbs, neither before it, in it nor behind it: they would be requests of their own.
    const latest = Math.min(wanted, Math.max(first, boundary - most));
    const from = latest - first < most / 2 ? first : latest;
    return { start: from, end: boundary - from < 1.5 * most ? boundary : from + most };
  }
  return undefined;
}

/** What is left of these ranges without that one, which lies within one of them. */
export function without(left: readonly ByteRange[], taken: ByteRange): ByteRange[] {
  return left
    .flatMap(({ start, end }) => [
      { start, end: Math.min(end, taken.start) },
      { start: Math.max(start, taken.end), end },
    ])
    .filter(({ start, end }) => end > start);
}

/** Those that may be used: a metered path only where the others would let the buffer run out, or where there are none. */
export function affordable({ left, buffer }: Work, paths: readonly PathLink[]): readonly PathLink[] {
  const free = paths.filter(({ cost }) => cost <= 0);
  if (free.length === 0) return paths;
  return finishTime(free, totalBytes(left)) < buffer ? free : paths;
}

/** Seconds until these paths together have brought so many bytes, after what is on its way. */
export function finishTime(paths: readonly PathLink[], bytes: number): number {
  const rate = sum(paths.map(({ rate }) => rate));
  const queued = sum(paths.map(({ queued }) => queued));
  return Math.min(...paths.map(({ setup, roundTrip }) => setup + roundTrip)) + (queued + bytes) / rate;
}
