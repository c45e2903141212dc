import { totalBytes, type ByteRange } from '../../src/manifest/byte-range.js';
import {
  blockAt,
  blockOf,
  earliest,
  hasRoom,
  LEAST_BLOCK,
  withQueued,
  without,
  type Dealt,
  type PathLink,
  type Schedule,
  type Work,
} from '../../src/delivery/schedule.js';
import { voxelSchedule } from '../../src/delivery/voxel-schedule.js';

/** Bytes of a turn. */
const TURN = 65_536;

/** Everything over the first path that is open. */
const single: Schedule = ({ left, reliableLength }, paths) => {
  const first = opened(paths)[0];
  return first ? whole(left, reliableLength).map((part) => dealt(first, part)) : [];
};

/** One path after the other, whatever they are like. */
const roundRobin: Schedule = ({ left, reliableLength }, paths) => {
  const open = opened(paths);
  if (open.length === 0) return [];
  const parts = whole(left, reliableLength).flatMap((part) => turns(part));
  return parts.map((part) => dealt(open[Math.floor(part.start / TURN) % open.length]!, part));
};

/** The path of the least round trip until its window is full, then the next (MPTCP's and MPQUIC's default). */
const minRtt: Schedule = (work, paths) => {
  const byRoundTrip = opened(paths).sort((a, b) => a.roundTrip - b.roundTrip);
  return dealInOrder(work, byRoundTrip, (open) => open.find(hasRoom));
};

/**
 * Each part whole over the path where it arrives first (Socket Intents, thesis §3.2): after what is on its way there, a round
 * trip, slow start and, over a path that is not open yet, its handshakes.
 */
const earliestArrival: Schedule = ({ left, reliableLength }, paths) => {
  let now = paths;
  if (now.length === 0) return [];
  return whole(left, reliableLength).map((part) => {
    const bytes = part.end - part.start;
    const best = earliest(now, bytes)!;
    now = now.map((path) => (path === best ? withQueued(path, bytes) : path));
    return dealt(best, part);
  });
};

/**
 * Blocks in order, each over the path that has least on its way, for paths that are alike: chunklets, dealt out as paths get free. No block
 * is more than an equal part of what is left.
 */
const whoeverIsFree: Schedule = (work, paths) => {
  const open = opened(paths);
  const part = Math.max(LEAST_BLOCK, Math.ceil(totalBytes(work.left) / open.length));
  const least = (free: readonly PathLink[]): PathLink | undefined =>
    [...free].sort((a, b) => a.queued - b.queued).find(hasRoom);
  return dealInOrder(work, open, least, (path) => Math.min(part, blockOf(path)));
};

/** Every schedule by name. `victor` is `min-rtt` of a delivery order that begins with the I-frames. */
export const SCHEDULES = {
  single,
  'round-robin': roundRobin,
  'min-rtt': minRtt,
  victor: minRtt,
  eaf: earliestArrival,
  'whoever-is-free': whoeverIsFree,
  voxel: voxelSchedule,
} as const satisfies Readonly<Record<string, Schedule>>;

export type ScheduleName = keyof typeof SCHEDULES;

function opened(paths: readonly PathLink[]): PathLink[] {
  return paths.filter(({ setup }) => setup === 0);
}

function dealt({ id }: PathLink, { start, end }: ByteRange): Dealt {
  return { path: id, start, end, isRepeat: false };
}

/** Blocks from the first on, each over the path that `choose` says, until that is none; `most`: bytes of one. */
function dealInOrder(
  { left, reliableLength }: Work,
  paths: readonly PathLink[],
  choose: (paths: readonly PathLink[]) => PathLink | undefined,
  most: (path: PathLink) => number = blockOf,
): Dealt[] {
  const deals: Dealt[] = [];
  let now = paths;
  let rest = left;
  for (let path = choose(now); path; path = choose(now)) {
    const block = blockAt(rest, reliableLength, { offset: 0, most: most(path) });
    if (!block) break;
    deals.push(dealt(path, block));
    rest = without(rest, block);
    const full = path;
    now = now.map((one) => (one === full ? withQueued(one, block.end - block.start) : one));
  }
  return deals;
}

/** Ranges that are either reliable or not. */
function whole(left: readonly ByteRange[], reliableLength: number): ByteRange[] {
  return left.flatMap(({ start, end }) =>
    start < reliableLength && end > reliableLength
      ? [
          { start, end: reliableLength },
          { start: reliableLength, end },
        ]
      : [{ start, end }],
  );
}

function turns({ start, end }: ByteRange): ByteRange[] {
  const parts: ByteRange[] = [];
  for (let at = start; at < end;) {
    const next = Math.min(end, (Math.floor(at / TURN) + 1) * TURN);
    parts.push({ start: at, end: next });
    at = next;
  }
  return parts;
}
