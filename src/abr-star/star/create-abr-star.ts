import { AbrStar } from './abr-star.js';
import { CONSTANTS } from './constants.js';
import { bandwidthSafetyOf, type AbrSettings } from '../settings.js';
import type { Abr } from '../types.js';

/**
 * A new `abr-star` for one playback, not by way of the registry: a bundle without rivals carries none of their code. `constants`: in place
 * of the rule's own, to measure what depends on them.
 */
export function createAbrStar(settings: AbrSettings = {}, constants = CONSTANTS): Abr {
  return new AbrStar({ ...constants, bandwidthSafety: bandwidthSafetyOf(settings, constants.bandwidthSafety) });
}
