import { groupedMedianInterval, mean, median, medianInterval, type Bounded } from '../../sim/report/statistics.js';
import { atLeast, atMost, type Bar } from '../../sim/report/bar.js';
import type { FirstPicture } from '../../trials/first-pictures.js';
import { pairsOf, type Pair } from '../../trials/report/paired.js';
import type { TrialResult } from '../../trials/result.js';

/** What viewers wait for. */
export const MEASURES = ['start', 'seek', 'resume'] as const;

export type Measure = (typeof MEASURES)[number];

/** Who is compared. */
export interface Sides<Value> {
  readonly ours: Value;
  readonly theirs: Value;
}

/** What a measure came to, in seconds from the action to the first right picture. */
export interface Measured {
  readonly pairs: number;
  /** Median of ours over theirs, pair by pair. */
  readonly ratio: Bounded;
  /** Medians. */
  readonly seconds: Sides<number>;
  /** Mean seconds without a new picture in those that follow the first one. */
  readonly waitedAfter: Sides<number>;
}

/** One link with one codec. A measure that was not taken is absent. */
export interface Cell extends Partial<Readonly<Record<Measure, Measured>>> {
  readonly link: string;
  readonly codec: string;
  /** Sessions that count. */
  readonly sessions: Sides<number>;
  /** Sessions that the outage did not bring to a stand. */
  readonly notStalled?: Sides<number>;
  /** Score of the first ten seconds, where starts were measured: means, and the median of the differences. */
  readonly scoreFirst?: Sides<number> & { readonly difference: Bounded };
  /** Largest 99th percentile of how late idle timers fired: the machine's share, ms. */
  readonly timerDelayMs: number;
}

/** The most that a ratio may be: for starts by the link's path, as the configurations name it. */
const MOST_START: Readonly<Record<string, number>> = {
  unlimited: 1,
  '60 ms': 0.65,
  '300 ms': 0.7,
  '3G': 0.45,
  LTE: 0.45,
};
const MOST_RATIO = 0.5;

/** The first ten seconds may be worth so much less. */
const LEAST_DIFFERENCE = -0.002;

/** Sessions of viewers who watch, and of those who jump. */
export interface Sessions {
  readonly watching: readonly TrialResult[];
  readonly jumping: readonly TrialResult[];
}

/** `sessions`: those that count. */
export function cellsOf({ watching, jumping }: Sessions, rival: string, measures: readonly Measure[]): Cell[] {
  const keys = [...new Set([...watching, ...jumping].map(keyOf))];
  return keys.map((key) => {
    const own = (results: readonly TrialResult[]) => results.filter((result) => keyOf(result) === key);
    return cellOf({ watching: own(watching), jumping: own(jumping) }, rival, measures);
  });
}

const keyOf = ({ path, video }: TrialResult) => `${path}\0${video}`;

function cellOf({ watching, jumping }: Sessions, rival: string, measures: readonly Measure[]): Cell {
  const all = [...watching, ...jumping];
  const { path: link, video: codec } = all[0]!;
  const sides = (results: readonly TrialResult[]): Sides<TrialResult[]> => ({
    ours: results.filter(({ system }) => system !== rival),
    theirs: results.filter(({ system }) => system === rival),
  });
  const counts = ({ ours, theirs }: Sides<readonly TrialResult[]>) => ({ ours: ours.length, theirs: theirs.length });
  const pairs = (results: readonly TrialResult[]) => pairsOf(sides(results).ours, sides(results).theirs);
  const pairsFor = { start: pairs(watching), resume: pairs(watching), seek: pairs(jumping) };
  const measured = measures.flatMap((name) => {
    const found = measuredOf(pairsFor[name], PICTURES[name]);
    return found ? [[name, found] as const] : [];
  });
  const standing = watching.filter(({ firstPictures }) => firstPictures?.resumes.length === 0);
  return {
    ...{ link, codec, sessions: counts(sides(all)) },
    ...Object.fromEntries(measured),
    ...(measures.includes('resume') && { notStalled: counts(sides(standing)) }),
    ...(measures.includes('start') && scoresOf(pairsFor.start)),
    timerDelayMs: Math.max(...all.map(({ timerDelayMs }) => timerDelayMs)),
  };
}

/** First pictures of one session; those of two sessions with the same key belong together. */
type PicturesOf = (result: TrialResult) => ReadonlyMap<number, FirstPicture>;

const PICTURES: Readonly<Record<Measure, PicturesOf>> = {
  start: ({ firstPictures }) => numbered(firstPictures ? [firstPictures.start] : []),
  seek: ({ firstPictures }) => new Map(firstPictures?.seeks.map((picture) => [picture.to, picture])),
  resume: ({ firstPictures }) => numbered(firstPictures?.resumes ?? []),
};

const numbered = (pictures: readonly FirstPicture[]) => new Map(pictures.map((picture, index) => [index, picture]));

/** Undefined: no pair has both. */
function measuredOf(pairs: readonly Pair[], picturesOf: PicturesOf): Measured | undefined {
  const bySession = pairs
    .map(({ ours, theirs }) => {
      const others = picturesOf(theirs);
      return [...picturesOf(ours)].flatMap(([key, own]) => {
        const other = others.get(key);
        return other ? [{ ours: own, theirs: other }] : [];
      });
    })
    .filter(({ length }) => length > 0);
  const all = bySession.flat();
  if (all.length === 0) return undefined;
  const both = (of: (pictures: readonly FirstPicture[]) => number): Sides<number> => ({
    ours: of(all.map(({ ours }) => ours)),
    theirs: of(all.map(({ theirs }) => theirs)),
  });
  return {
    pairs: all.length,
    ratio: groupedMedianInterval(
      bySession.map((pictures) => pictures.map(({ ours, theirs }) => ours.seconds / theirs.seconds)),
    ),
    seconds: both((pictures) => median(pictures.map(({ seconds }) => seconds))),
    waitedAfter: both((pictures) => mean(pictures.map(({ waitedAfter }) => waitedAfter))),
  };
}

function scoresOf(pairs: readonly Pair[]): Pick<Cell, 'scoreFirst'> {
  const scored = pairs.flatMap(({ ours: { scoreFirst: ours }, theirs: { scoreFirst: theirs } }) =>
    ours === null || theirs === null ? [] : [{ ours, theirs }],
  );
  if (scored.length === 0) return {};
  return {
    scoreFirst: {
      ours: mean(scored.map(({ ours }) => ours)),
      theirs: mean(scored.map(({ theirs }) => theirs)),
      difference: medianInterval(scored.map(({ ours, theirs }) => ours - theirs)),
    },
  };
}

/** What is asked for of the measures that were taken. */
export function barsOf(cell: Cell): Bar[] {
  const name = `${cell.link}, ${cell.codec}`;
  const ratios = MEASURES.flatMap((measure) => {
    const measured = cell[measure];
    const most = measure === 'start' ? MOST_START[cell.link] : MOST_RATIO;
    return measured && most !== undefined ? [atMost(`${name}: ${measure}`, measured.ratio.value, most)] : [];
  });
  const { scoreFirst } = cell;
  if (!scoreFirst) return ratios;
  return [...ratios, atLeast(`${name}: first ten seconds`, scoreFirst.difference.value, LEAST_DIFFERENCE)];
}

/** A line for each measure. */
export function linesOf(cell: Cell): string[] {
  const { link, codec, scoreFirst } = cell;
  const lines = MEASURES.flatMap((name) => {
    const measured = cell[name];
    if (!measured) return [];
    const { ratio, seconds, waitedAfter, pairs } = measured;
    const values = `${seconds.ours.toFixed(3)} s beside ${seconds.theirs.toFixed(3)} s`;
    const after = `then waits ${waitedAfter.ours.toFixed(2)} beside ${waitedAfter.theirs.toFixed(2)} s`;
    return [`${link}, ${codec}: ${name} × ${bounded(ratio, 2)}, ${values}, ${after} (${pairs} pairs)`];
  });
  if (!scoreFirst) return lines;
  const { ours, theirs, difference } = scoreFirst;
  const values = `${ours.toFixed(4)} beside ${theirs.toFixed(4)}`;
  return [...lines, `${link}, ${codec}: SSIM of the first ten seconds ${bounded(difference, 4)}, ${values}`];
}

function bounded({ value, bounds }: Bounded, digits: number): string {
  const text = (figure: number) => figure.toFixed(digits);
  return bounds ? `${text(value)} [${text(bounds.low)}, ${text(bounds.high)}]` : text(value);
}
