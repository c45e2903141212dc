import { AbrError } from './errors.js';

/** What an application may tune. */
export interface AbrSettings {
  /**
   * Share of the throughput that is counted on, in (0, 1], 0.9 unless told: `abr-star` plans and reviews with it, the others review
   * with it. The thesis lowers it for its T-Mobile trace (§6.6), whose rate falls faster than any average.
   */
  readonly bandwidthSafety?: number;
}

/** Throws `AbrError` for a share outside (0, 1]. */
export function bandwidthSafetyOf({ bandwidthSafety }: AbrSettings, usual: number): number {
  const share = bandwidthSafety ?? usual;
  if (!(share > 0 && share <= 1)) throw new AbrError('bad-setting', `bandwidthSafety must lie in (0, 1], not ${share}`);
  return share;
}
