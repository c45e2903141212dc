import type { Bola, UsefulLevel } from './bola.js';
import type { Option } from './types.js';

/** The highest useful level whose bitrate `throughput` (bit/s) sustains, or the lowest. */
export function sustainedLevel({ levels }: Bola, throughput: number): UsefulLevel {
  return levels.findLast((level) => level.bitrate <= throughput) ?? levels[0]!;
}

/** The whole segment in `representation`, or in the nearest one below it (else above) that has options. */
export function wholeSegment(options: readonly Option[], representation: number): Option {
  const lowest = options[0]!.representation;
  return options.findLast((option) => option.representation <= Math.max(representation, lowest))!;
}
