import { AbrStar } from './abr-star.js';
import { bandwidthSafetyOf, type AbrSettings } from '../settings.js';
import type { Abr } from '../types.js';

const PLANNING_SAFETY = 0.85;

/** A new `abr-star` for one playback, not by way of the registry: a bundle without rivals carries none of their code. */
export function createAbrStar(settings: AbrSettings = {}): Abr {
  return new AbrStar(bandwidthSafetyOf(settings, PLANNING_SAFETY));
}
