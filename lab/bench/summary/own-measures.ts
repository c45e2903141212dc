import { frameSecondsOf } from '../../../demo/first-pictures.js';
import type { VoxelSummary } from '../../../player/api/types.js';
import { mean, quantile, sum } from '../../sim/report/statistics.js';
import { isRightPicture } from '../../trials/first-pictures.js';
import { everyPicture } from '../../trials/live/interruptions.js';
import type { PlaybackRecord, ShownPicture } from '../../trials/page/types.js';

/** ms that a picture may stand (docs/EMBEDDING.md). */
const LONGEST_PICTURE = 200;

/** A span of the clock, ms since 1970. */
type Span = readonly [from: number, to: number];

/** A figure of a session: what the plugin says, what the trials' own recorders say, and how far they may lie apart. */
export interface Pair {
  readonly name: string;
  readonly plugin: number;
  readonly trials: number;
  readonly tolerance: number;
}

/**
 * The figures of `voxel.summary()` beside those that follow from what a trial records: the media element's events, every picture with its time, the
 * viewer's jumps and the segments as they were delivered. Times may differ by a picture (of jumps by one each), shares by a picture of the
 * time in which pictures were shown, counts and scores not at all.
 */
export function pairsOf(record: PlaybackRecord): Pair[] {
  const { playback, pictures: told, seeks = [], times, segments, summary } = record;
  if (!summary) throw new Error('the session has no plugin');
  const frame = frameSecondsOf(told.map(([, mediaTime]) => mediaTime));
  const begin = times.start + (playback.startupMs ?? 0);
  const jumps = seeks.map(({ at, to }): Span => [at, foundAt(told, { at, to }, times.end)]);
  const stood = standing(everyPicture(told), begin, jumps);
  const shown = sum(stood) / 1000;
  const still = stood.filter((milliseconds) => milliseconds > LONGEST_PICTURE);
  const seen = segments.filter(({ startTime, duration }) =>
    told.some(([, time]) => time >= startTime && time < startTime + duration),
  );
  const scores = seen.flatMap(({ estimatedScore }) => estimatedScore ?? []);
  const bytes = (delivery: keyof VoxelSummary['bytes']) =>
    sum(
      segments
        .filter(({ transport }) => transport === delivery)
        .map(({ bytesReliable, bytesUnreliable }) => bytesReliable + bytesUnreliable),
    );
  const pair = (name: string, plugin: number | undefined, trials: number, tolerance: number): Pair => ({
    ...{ name, plugin: plugin ?? NaN, trials, tolerance },
  });
  // A jump each has its own picture at both ends.
  const borders = Math.max(1, seeks.length);
  return [
    pair('startup', summary.startup, (begin - times.request) / 1000, frame),
    pair('seeks', summary.seeks.count, seeks.length, 0),
    pair('seek seconds', summary.seeks.seconds, sum(jumps.map(([from, to]) => to - from)) / 1000, frame * borders),
    pair('stalls', summary.stalls.count, playback.stalls, 0),
    pair('stall seconds', summary.stalls.seconds, playback.stallSeconds, frame),
    pair('still share', summary.stillShare, sum(still) / 1000 / shown, frame / shown),
    pair('longest still', summary.longestStill, Math.max(...stood) / 1000, frame),
    pair('pictures per second', summary.picturesPerSecond, stood.length / shown, borders / shown),
    pair('score', summary.score?.mean, mean(scores), 1e-9),
    pair('score p10', summary.score?.p10, quantile(scores, 0.1), 1e-9),
    ...(['datagrams', 'streams', 'http'] as const).map((one) =>
      pair(`bytes ${one}`, summary.bytes[one], bytes(one), 0),
    ),
  ];
}

/** How long each picture stood from `begin` on, ms, but for the time of jumps. */
function standing(pictures: readonly ShownPicture[], begin: number, jumps: readonly Span[]): number[] {
  const moments = [begin, ...pictures.map(([at]) => at).filter((at) => at > begin)];
  return moments.slice(1).flatMap((to, index) => {
    const from = moments[index]!;
    const jump = jumps.find(([start, end]) => to > start && from < end);
    if (!jump) return to - from;
    // What is shown of the former place after the jump counts no more.
    return from < jump[0] ? jump[0] - from : [];
  });
}

function foundAt(pictures: readonly ShownPicture[], seek: { readonly at: number; readonly to: number }, end: number) {
  return pictures.find((picture) => isRightPicture(picture, seek))?.[0] ?? end;
}
