import { AbrStar } from './abr-star.js';
import { BolaSsim } from './bola-ssim.js';
import { AbrError } from './errors.js';
import type { Abr } from './types.js';

/** What an application may tune. */
export interface AbrSettings {
  /**
   * Share of a running download's throughput that a review counts on, in (0, 1]; 0.9 unless told. The thesis lowers it
   * for its T-Mobile trace (§6.6), whose rate falls faster than any average.
   */
  readonly bandwidthSafety?: number;
}

const rules = {
  /** BOLA-E over virtual levels with scores as utilities, and smart abandonment (thesis §6.3). */
  'abr-star': ({ bandwidthSafety }) => new AbrStar(bandwidthSafety),
  /** The same without review: every download runs to its end. */
  'bola-ssim': () => new BolaSsim(),
} satisfies Record<string, (settings: Required<AbrSettings>) => Abr>;

export type AbrName = keyof typeof rules;

/** The names that {@link createAbr} knows. */
export const abrNames = Object.keys(rules) as readonly AbrName[];

/** A new rule for one playback. Throws `AbrError` for a name or a setting that it does not know. */
export function createAbr(name: string, settings: AbrSettings = {}): Abr {
  if (!isAbrName(name)) throw new AbrError('unknown-rule', `no rule ${name}: choose one of ${abrNames.join(', ')}`);
  const { bandwidthSafety = 0.9 } = settings;
  if (!(bandwidthSafety > 0 && bandwidthSafety <= 1)) {
    throw new AbrError('bad-setting', `bandwidthSafety must lie in (0, 1], not ${bandwidthSafety}`);
  }
  return rules[name]({ bandwidthSafety });
}

function isAbrName(name: string): name is AbrName {
  return Object.hasOwn(rules, name);
}
