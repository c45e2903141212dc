import type { LadderRepresentation, Option } from '../../src/abr-star/types.js';

/** Seconds of buffer below which BOLA takes the lowest representation ("low"), and at which a pause ends at the latest. */
export const LOW_BUFFER = 10;

/** Seconds of (partly imagined) buffer that each representation gets at least: BOLA-E's buffer expansion. */
export const BUFFER_PER_REPRESENTATION = 2;

/**
 * Share of its score that a representation's bytes are taken to buy where the ladder has no second useful one to tell: of
 * the order of what SSIM gains between neighbours.
 */
const LONE_REPRESENTATION_GAIN = 0.1;

/** A representation that costs more and scores higher than the useful one before it. */
export interface UsefulRepresentation {
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
  readonly representations: readonly UsefulRepresentation[];
  /** In units of utility: makes LOW_BUFFER the buffer level where the second representation begins to beat the lowest. */
  readonly alpha: number;
  /** V, in seconds of buffer per unit of utility. */
  readonly weight: number;
  /** Mean utility gained from one representation to the next. */
  readonly utilityStep: number;
}

export interface BolaInput {
  /** Ascending in bitrate, never empty. */
  readonly ladder: readonly LadderRepresentation[];
  /** Seconds. */
  readonly segmentDuration: number;
  /** Seconds. */
  readonly bufferCapacity: number;
}

export function bolaParameters({ ladder, segmentDuration, bufferCapacity }: BolaInput): Bola {
  const representations = usefulRepresentations(ladder);
  const lowest = representations[0]!;
  const highest = representations.at(-1)!;
  const alpha = indifference(lowest, representations[1]);
  const expanded = LOW_BUFFER + BUFFER_PER_REPRESENTATION * representations.length;
  const target = Math.max(bufferCapacity - segmentDuration, expanded);
  return {
    representations,
    alpha,
    weight: (target - LOW_BUFFER) / (highest.utility + alpha),
    utilityStep: (highest.utility - lowest.utility) / Math.max(1, representations.length - 1),
  };
}

/** Seconds of buffer up to which BOLA rather downloads an option of this utility than pauses: V(u + g). */
export function zeroScoreLevel(bola: Bola, utility: number): number {
  return LOW_BUFFER + bola.weight * (utility + bola.alpha);
}

/** Seconds of buffer from which BOLA prefers a representation to all lower ones; 0 for the lowest. */
export function preferredFrom(bola: Bola, preferred: UsefulRepresentation): number {
  return bola.representations
    .filter((lower) => lower.bitrate < preferred.bitrate)
    .reduce((seconds, lower) => Math.max(seconds, zeroScoreLevel(bola, -indifference(lower, preferred))), 0);
}

/** What BOLA maximises: (V(u + g) − buffer)/bytes. `bufferLevel` is buffer and placeholder together, in seconds. */
export function bolaScore(
  bola: Bola,
  download: { readonly utility: number; readonly bytes: number; readonly bufferLevel: number },
): number {
  return (zeroScoreLevel(bola, download.utility) - download.bufferLevel) / Math.max(1, download.bytes);
}

/** The useful representation that a representation is or comes after. */
export function usefulUpTo({ representations }: Bola, representation: number): UsefulRepresentation {
  return representations.findLast((useful) => useful.representation <= representation) ?? representations[0]!;
}

/** The highest useful representation whose bitrate `throughput` (bit/s) sustains, or the lowest. */
export function sustainedRepresentation({ representations }: Bola, throughput: number): UsefulRepresentation {
  return representations.findLast(({ bitrate }) => bitrate <= throughput) ?? representations[0]!;
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

/** The representations that cost more and score higher than those before: never empty, the lowest is always in. */
export function usefulRepresentations(ladder: readonly LadderRepresentation[]): UsefulRepresentation[] {
  const useful: UsefulRepresentation[] = [];
  ladder.forEach(({ bitrate, averageScore }, representation) => {
    const last = useful.at(-1);
    if (last && (bitrate <= last.bitrate || averageScore <= last.utility)) return;
    useful.push({ representation, bitrate, utility: averageScore });
  });
  return useful;
}

/**
 * a, in units of utility: BOLA scores the two the same at the buffer level V(g − a). For the two lowest it is α.
 * A lone representation gets the α of a neighbour whose additional bytes buy LONE_REPRESENTATION_GAIN of its score.
 */
function indifference(lower: UsefulRepresentation, higher: UsefulRepresentation | undefined): number {
  if (!higher) return LONE_REPRESENTATION_GAIN * (Math.abs(lower.utility) || 1) - lower.utility;
  return (lower.bitrate * higher.utility - higher.bitrate * lower.utility) / (higher.bitrate - lower.bitrate);
}
