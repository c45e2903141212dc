import { withoutDominated } from '../../src/abr-star/options.js';
import type { DecisionState, LadderRepresentation, Option } from '../../src/abr-star/types.js';

/** A segment as rules see it that know bitrates and sizes, but neither measured quality nor parts of segments. */
export interface BitrateView {
  readonly ladder: readonly LadderRepresentation[];
  /** Whole segments, each bigger and of a higher bitrate than the one before. */
  readonly options: readonly Option[];
}

/**
 * `state` with ln(S_m/S_0) for scores, S_m the bitrate of representation m: the utility of BOLA and BOLA-E (Spiteri et al.). The
 * `bytes` stay exact, as the thesis gives them to BOLA and MPC (§6.4.6); a representation that is no bigger than a lower one
 * this time replaces it.
 */
export function bitrateView({ ladder, options }: Pick<DecisionState, 'ladder' | 'options'>): BitrateView {
  const lowest = Math.max(1, ladder[0]!.bitrate);
  const utilities = ladder.map(({ bitrate }) => Math.log(Math.max(1, bitrate) / lowest));
  return {
    ladder: ladder.map(({ bitrate }, index) => ({ bitrate, averageScore: utilities[index]! })),
    options: withoutDominated(
      wholeSegments(options).map((option) => ({ ...option, score: utilities[option.representation]! })),
    ),
  };
}

/** The last option of each representation. */
export function wholeSegments(options: readonly Option[]): Option[] {
  return options.filter((_, index) => isWhole(options, index));
}

/** Whether the option at `index` is the last of its representation. */
export function isWhole(options: readonly Option[], index: number): boolean {
  return options[index + 1]?.representation !== options[index]!.representation;
}
