import { mean, quantile } from '../../../sim/report/statistics.js';
import { percent, type Claim, type Measured } from '../claim.js';
import { droppable, mostDroppable, type Droppable, type FrameOrder, type Level, type LevelSegment } from '../levels.js';
import { discarded } from './measures.js';

const FRAMES = 'npm run bench -- frames';

const SMALL = 'Levels of 0.37, 0.56 and 0.75 Mbit/s in place of Q9, Q11 and Q12, and other clips.';

const median = (values: readonly number[]) => quantile(values, 0.5);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** A figure of the segments of one level, each with its clip. Undefined where there are none. */
function ofLevel(
  level: Level['level'],
  measure: (
    segments: readonly LevelSegment[],
    clips: readonly (readonly LevelSegment[])[],
  ) => Omit<Measured, 'sessions'>,
) {
  return {
    command: FRAMES,
    ofContent: (levels: readonly Level[]): Measured | undefined => {
      const clips = levels.filter((line) => line.level === level).map(({ segments }) => segments);
      const segments = clips.flat();
      return segments.length > 0 ? { ...measure(segments, clips), sessions: segments.length } : undefined;
    },
  };
}

/** Share of the frames, without the I frame, that may be missing; 0 where the whole segment does not reach the target. */
function droppedFrames(segment: LevelSegment, target: number, found = mostDroppable(segment, target)): number {
  return (found?.frames ?? 0) / (segment.frames - 1);
}

const at = (segments: readonly LevelSegment[], target: number) =>
  segments.map((segment) => mostDroppable(segment, target)).filter((found) => found !== undefined);

const referencedOf = (dropped: readonly Droppable[]) =>
  sum(dropped.map(({ referenced }) => referenced)) / Math.max(1, sum(dropped.map(({ frames }) => frames)));

const range = (values: readonly number[]) => `${percent(Math.min(...values), 0)} to ${percent(Math.max(...values), 0)}`;

const below = (segments: readonly LevelSegment[]) =>
  segments.filter(({ score }) => score < 0.99).length / segments.length;

/** 16 % of a segment of Q12 (Table 6.2: 357 MB in 75 segments), for 75 segments of 13 levels. */
const THEIR_BYTES = Math.round((0.16 * 357e6) / 75 / (75 * 13));

/** The thesis' four. */
const ORDERS: readonly FrameOrder[] = ['original', 'unreferenced', 'summed', 'chained'];

/** The orders that save most bytes of a segment. */
function bestOrders(segment: LevelSegment, target: number): readonly FrameOrder[] {
  const bytes = ORDERS.map((order) => droppable(segment, order, target)?.bytes ?? 0);
  return ORDERS.filter((_, index) => bytes[index] === Math.max(...bytes));
}

/** In how many segments the first order saves more bytes than the other at .88, and in how many fewer. */
function compared(segments: readonly LevelSegment[], order: FrameOrder, other: FrameOrder) {
  const [own, others] = [order, other].map((name) => segments.map((one) => droppable(one, name, 0.88)?.bytes ?? 0)) as [
    number[],
    number[],
  ];
  const count = (holds: (own: number, other: number) => boolean) =>
    own.filter((bytes, index) => holds(bytes, others[index]!)).length;
  return { more: count((a, b) => a > b), fewer: count((a, b) => a < b) };
}

/** What frames cost, and in which order they are best dropped: of content, not of sessions. */
export const CHAPTERS_4_AND_5: readonly Claim[] = [
  {
    figure: '4.1a',
    claim: 'at the top level half of the segments stay at SSIM .99 without many of their frames',
    theirs: '10 to 20 % of the frames, in each of six videos',
    ...ofLevel('top', (_, clips) => {
      const medians = clips.map((clip) => median(clip.map((segment) => droppedFrames(segment, 0.99))));
      const least = Math.min(...medians);
      const verdict = least > 0.2 ? 'beaten' : least >= 0.1 ? 'reproduced' : 'not reproduced';
      return { ours: `${range(medians)}: the clips’ medians`, verdict };
    }),
    why: SMALL,
  },
  {
    figure: '§4.2.1',
    claim: 'referenced frames can be dropped, too',
    theirs: '12.6 to 30 % of the dropped frames are referenced: 6 to 24.2 % of all that are',
    ...ofLevel('top', (segments) => {
      const dropped = at(segments, 0.99);
      const all = sum(dropped.map(({ referenced }) => referenced)) / sum(segments.map(({ referenced }) => referenced));
      const share = referencedOf(dropped);
      return {
        ours: `${percent(share)} of the dropped: ${percent(all)} of all`,
        verdict: share >= 0.126 && all >= 0.06 ? 'reproduced' : 'not reproduced',
      };
    }),
    why: SMALL,
  },
  {
    figure: '4.1b',
    claim: 'a lower level tolerates less: its whole segments score below .99',
    theirs: 'at 4.3 Mbit/s 85 % (BBB) and 96 % (ToS) of the segments',
    ...ofLevel('low', (segments) => ({
      ours: `${percent(below(segments), 0)} of the segments`,
      verdict: below(segments) >= 0.85 ? 'reproduced' : 'not reproduced',
    })),
    why: SMALL,
  },
  {
    figure: '4.1c',
    claim: 'a target of .95 makes frames of the lower level droppable again',
    theirs: 'figure without numbers',
    ...ofLevel('low', (segments) => {
      const [high, low] = [0.99, 0.95].map((target) => mean(segments.map((one) => droppedFrames(one, target)))) as [
        number,
        number,
      ];
      return {
        ours: `${percent(high)} of the frames at .99, ${percent(low)} at .95, on average`,
        verdict: low > high ? 'reproduced' : 'not reproduced',
      };
    }),
  },
  {
    figure: '4.1d',
    claim: 'segments of low levels score below .99 anyway',
    theirs: '85 and 96 % of them at 4.3 Mbit/s',
    command: FRAMES,
    ofContent: (levels) => {
      const [low, next] = (['low', 'next'] as const).map((level) =>
        levels.filter((line) => line.level === level).flatMap(({ segments }) => segments),
      ) as [LevelSegment[], LevelSegment[]];
      if (low.length === 0 || next.length === 0) return undefined;
      return {
        ours: `${percent(below(low), 0)} at 0.37 Mbit/s, ${percent(below(next), 0)} at 0.56`,
        verdict: below(low) >= 0.85 ? 'reproduced' : 'not reproduced',
        sessions: low.length,
      };
    },
    why: SMALL,
  },
  {
    figure: '4.2a',
    claim: 'dropping from the tail alone allows far fewer frames, and more of them are referenced',
    theirs: '51.75 % (BBB) and 46 % (ToS) of those dropped are referenced',
    ...ofLevel('top', (segments) => {
      const tails = segments
        .map((segment) => droppable(segment, 'original', 0.99))
        .filter((found) => found !== undefined);
      const [best, tail] = [at(segments, 0.99), tails].map((all) => mean(all.map(({ frames }) => frames))) as [
        number,
        number,
      ];
      const isSo = tail < best && referencedOf(tails) > referencedOf(at(segments, 0.99));
      return {
        ours: `${tail.toFixed(0)} of ${best.toFixed(0)} frames a segment; ${percent(referencedOf(tails))} of them are`,
        verdict: isSo ? 'reproduced' : 'not reproduced',
      };
    }),
  },
  {
    figure: '4.2b, c',
    claim: 'the top level at .99 fills the gap to the next lower level',
    theirs: 'all segments get half of the way cheaper',
    command: FRAMES,
    ofContent: (levels) => {
      const pairs = levels
        .filter(({ level }) => level === 'top')
        .flatMap(({ clip, segments }) => {
          const next = levels.find((line) => line.clip === clip && line.level === 'next')?.segments ?? [];
          return segments.flatMap((segment, index) => (next[index] ? [[segment, next[index]] as const] : []));
        })
        .filter(([top, next]) => top.bytes > next.bytes);
      if (pairs.length === 0) return undefined;
      const ways = pairs.map(([top, next]) => (mostDroppable(top, 0.99)?.bytes ?? 0) / (top.bytes - next.bytes));
      const half = ways.filter((way) => way >= 0.5).length / ways.length;
      return {
        ours: `${percent(half, 0)} of them do; the median gets ${percent(median(ways), 0)} of the way`,
        verdict: half === 1 ? 'reproduced' : 'not reproduced',
        sessions: pairs.length,
      };
    },
    why: SMALL,
  },
  {
    figure: '4.3',
    claim: 'what can be dropped is spread over the whole segment',
    theirs: 'figure without numbers',
    ...ofLevel('top', (segments) => {
      const dropped = at(segments, 0.99);
      const thirds = [0, 1, 2].map((third) => sum(dropped.map((found) => found.thirds[third]!)));
      const shares = thirds.map((third) => third / Math.max(1, sum(thirds)));
      return {
        ours: `${shares.map((share) => percent(share, 0)).join(', ')} of it in the thirds`,
        verdict: Math.min(...shares) >= 0.2 ? 'reproduced' : 'not reproduced',
      };
    }),
  },
  {
    figure: '§4.2.3',
    claim: 'with small buffers BOLA downloads segments twice',
    theirs: 'more than 25 % of the segments nearly whole',
    command: 'thesis-4.2.3-small',
    matrix: 'thesis-4.2.3-small',
    measured: discarded(0.25),
    why: 'dash.js 5 gives a segment up early, or not at all: of those that it asked for again it never had half.',
  },
  {
    figure: '5.3 to 5.6',
    claim: 'no order is best everywhere: at .95 the summed one drops more of BBB’s segment 11, at .88 the original one',
    theirs: '29 against 22 % of the bytes at .95; 29 against 44 % at .88',
    ...ofLevel('top', (segments) => {
      const counts = (target: number) =>
        ORDERS.map((order) => segments.filter((one) => bestOrders(one, target).includes(order)).length);
      const text = (target: number) => ORDERS.map((order, index) => `${order} ${counts(target)[index]}`).join(', ');
      const isSo = [0.95, 0.88].every((target) => Math.max(...counts(target)) < segments.length);
      return {
        ours: `best at .95: ${text(0.95)} segments; at .88: ${text(0.88)}`,
        verdict: isSo ? 'reproduced' : 'not reproduced',
      };
    }),
    why: 'Orders that drop the same bytes count alike. The fifth order, measured, is left out here.',
  },
  {
    figure: '5.9',
    claim: 'the chained order keeps scene changes, and loses where there are none',
    theirs: 'figure without numbers',
    ...ofLevel('top', (segments) => {
      const { more, fewer } = compared(segments, 'chained', 'original');
      return {
        ours: `drops more bytes than the original one at .88 in ${more} segments, fewer in ${fewer}`,
        verdict: more > 0 && fewer > 0 ? 'reproduced' : 'not reproduced',
      };
    }),
    why: 'Whether a segment has a scene change is not looked at: that each order wins somewhere is what is tested.',
  },
];

/** A claim of chapter 6 that is about content, too. */
export const MANIFEST_SIZE: Claim = {
  figure: '§6.1',
  claim: 'the manifest’s facts about frames are small',
  theirs: '16 % of an average segment of the top level',
  command: FRAMES,
  ofContent: (levels) => {
    const segments = levels.flatMap((level) => level.segments);
    if (segments.length === 0) return undefined;
    const each = sum(levels.map(({ indexBytes }) => indexBytes)) / segments.length;
    return {
      ours: `${each.toFixed(0)} bytes for each segment of a level`,
      verdict: each < THEIR_BYTES ? 'beaten' : 'not reproduced',
      sessions: segments.length,
    };
  },
  why: `Theirs describes 75 segments of 13 levels: ${THEIR_BYTES} bytes for each. An index is compact, theirs are attributes.`,
};

/** A claim of chapter 6 that is about content, too. */
export const OTHER_VIDEOS: Claim = {
  figure: '6.3',
  claim: 'ten other videos tolerate drops as well',
  theirs: '10 % of the frames in half of the segments, but for two videos',
  ...ofLevel('top', (_, clips) => {
    const tolerant = clips.filter((clip) => median(clip.map((segment) => droppedFrames(segment, 0.99))) >= 0.1).length;
    return {
      ours: `so in ${tolerant} of ${clips.length} clips`,
      verdict: tolerant / clips.length >= 0.8 ? 'reproduced' : 'not reproduced',
    };
  }),
  why: SMALL,
};
