import type { LadderRepresentation } from '../types.js';

/** What separates the lowest from the highest mean score of a ladder; the score itself where nothing does. Above 0. */
export function scoreRange(ladder: readonly LadderRepresentation[]): number {
  const scores = ladder.map(({ averageScore }) => averageScore);
  const highest = Math.max(...scores);
  return highest - Math.min(...scores) || Math.abs(highest) || 1;
}

/** The mean score that a constant rate in bit/s buys: linear in the rate's logarithm between the representations of the ladder. */
export function scoreAtRate(ladder: readonly LadderRepresentation[], rate: number): number {
  const above = ladder.findIndex(({ bitrate }) => bitrate > rate);
  if (above === 0) return ladder[0]!.averageScore;
  if (above < 0) return ladder.at(-1)!.averageScore;
  const [low, high] = [ladder[above - 1]!, ladder[above]!];
  const share = Math.log(rate / low.bitrate) / Math.log(high.bitrate / low.bitrate);
  return low.averageScore + share * (high.averageScore - low.averageScore);
}
