import type { LadderLevel, Option } from './types.js';

/** Seconds of buffer below which BOLA takes the lowest level ("low"), and at which a pause ends at the latest. */
export const LOW_BUFFER = 10;

/** Seconds of (partly imagined) buffer that each level of the ladder gets at least: BOLA-E's buffer expansion. */
export const BUFFER_PER_LEVEL = 2;

/**
 * Share of a level's score that its bytes are taken to buy where the ladder has no second useful level to tell: of the
 * order of what SSIM gains between neighbouring levels.
 */
const LONE_LEVEL_GAIN = 0.1;

/** A level of the ladder that costs more and scores higher than the useful level before it. */
export interface UsefulLevel {
  readonly representation: number;
  /** Bit/s. */
  readonly bitrate: number;
  /** Mean score of its untouched segments. */
  readonly utility: number;
}

/**
 * BOLA's control parameters for a ladder and a buffer (Spiteri et al., "BOLA"; values as in the authors' release
 * of VOXEL). The papers' V(u + g) is written LOW_BUFFER + V(u + α) here: the same number, as g = LOW_BUFFER/V + α.
 */
export interface Bola {
  readonly levels: readonly UsefulLevel[];
  /** In units of utility: makes LOW_BUFFER the buffer level where the second level begins to beat the lowest. */
  readonly alpha: number;
  /** V, in seconds of buffer per unit of utility. */
  readonly weight: number;
  /** Mean utility gained from one level to the next. */
  readonly utilityStep: number;
}

export interface BolaInput {
  /** Ascending in bitrate, never empty. */
  readonly ladder: readonly LadderLevel[];
  /** Seconds. */
  readonly segmentDuration: number;
  /** Seconds. */
  readonly bufferCapacity: number;
}

export function bolaParameters({ ladder, segmentDuration, bufferCapacity }: BolaInput): Bola {
  const levels = usefulLevels(ladder);
  const lowest = levels[0]!;
  const highest = levels.at(-1)!;
  const alpha = indifference(lowest, levels[1]);
  const target = Math.max(bufferCapacity - segmentDuration, LOW_BUFFER + BUFFER_PER_LEVEL * levels.length);
  return {
    levels,
    alpha,
    weight: (target - LOW_BUFFER) / (highest.utility + alpha),
    utilityStep: (highest.utility - lowest.utility) / Math.max(1, levels.length - 1),
  };
}

/** Seconds of buffer up to which BOLA rather downloads an option of this utility than pauses: V(u + g). */
export function zeroScoreLevel(bola: Bola, utility: number): number {
  return LOW_BUFFER + bola.weight * (utility + bola.alpha);
}

/** Seconds of buffer from which BOLA prefers a level to all lower ones; 0 for the lowest. */
export function preferredFrom(bola: Bola, level: UsefulLevel): number {
  return bola.levels
    .filter((lower) => lower.bitrate < level.bitrate)
    .reduce((seconds, lower) => Math.max(seconds, zeroScoreLevel(bola, -indifference(lower, level))), 0);
}

/** What BOLA maximises: (V(u + g) − buffer)/bytes. `bufferLevel` is buffer and placeholder together, in seconds. */
export function bolaScore(
  bola: Bola,
  download: { readonly utility: number; readonly bytes: number; readonly bufferLevel: number },
): number {
  return (zeroScoreLevel(bola, download.utility) - download.bufferLevel) / Math.max(1, download.bytes);
}

/** The useful level that a representation is or comes after. */
export function levelOf({ levels }: Bola, representation: number): UsefulLevel {
  return levels.findLast((level) => level.representation <= representation) ?? levels[0]!;
}

export interface Preference {
  /** Buffer and placeholder together, in seconds. */
  readonly bufferLevel: number;
  /** Options below this representation are charged one mean utility step, so that equals do not alternate. */
  readonly keepRepresentation: number;
}

/**
 * The option of the highest score (V(u + g) − buffer)/bytes, the objective of BOLA with a measured quality as its
 * utility (thesis §6.3). `options` must be without dominated ones.
 */
export function bestOption(bola: Bola, options: readonly Option[], preference: Preference): Option {
  const { bufferLevel, keepRepresentation } = preference;
  let best = options[0]!;
  let bestScore = -Infinity;
  for (const option of options) {
    const charge = option.representation < keepRepresentation ? bola.utilityStep : 0;
    const score = bolaScore(bola, { utility: option.score - charge, bytes: option.bytes, bufferLevel });
    if (score <= bestScore) continue;
    best = option;
    bestScore = score;
  }
  return best;
}

export /** The levels of the ladder that cost more and score higher than those before: never empty, the lowest is always in. */
function usefulLevels(ladder: readonly LadderLevel[]): UsefulLevel[] {
  const levels: UsefulLevel[] = [];
  ladder.forEach(({ bitrate, averageScore }, representation) => {
    const last = levels.at(-1);
    if (last && (bitrate <= last.bitrate || averageScore <= last.utility)) return;
    levels.push({ representation, bitrate, utility: averageScore });
  });
  return levels;
}

/**
 * a, in units of utility: BOLA scores the two levels the same at the buffer level V(g − a). For the two lowest it is α.
 * A lone level gets the α of a neighbour whose additional bytes buy LONE_LEVEL_GAIN of its score.
 */
function indifference(lower: UsefulLevel, higher: UsefulLevel | undefined): number {
  if (!higher) return LONE_LEVEL_GAIN * (Math.abs(lower.utility) || 1) - lower.utility;
  return (lower.bitrate * higher.utility - higher.bitrate * lower.utility) / (higher.bitrate - lower.bitrate);
}
