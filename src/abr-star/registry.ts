import { AbrStar } from './abr-star.js';
import { AbrStar2021 } from './abr-star-2021.js';
import { Beta } from './beta.js';
import { BolaBitrate } from './bola-bitrate.js';
import { BolaE } from './bola-e.js';
import { BolaSsim } from './bola-ssim.js';
import { AbrError } from './errors.js';
import { Mpc } from './mpc.js';
import { Tput } from './tput.js';
import type { Abr } from './types.js';

/** What an application may tune. */
export interface AbrSettings {
  /**
   * Share of the throughput that is counted on, in (0, 1]: `abr-star` plans and reviews with it, 0.8 unless told; the others
   * review with it, 0.9 unless told. The thesis lowers it for its T-Mobile trace (§6.6), whose rate falls faster than any average.
   */
  readonly bandwidthSafety?: number;
}

const PLANNING_SAFETY = 0.8;
const REVIEW_SAFETY = 0.9;

const rules = {
  /** ABR*: plans ahead for the best quality of experience to be expected, keeping what has arrived as the way out. */
  'abr-star': ({ bandwidthSafety }) => new AbrStar(bandwidthSafety),
  /** The rule of the thesis: BOLA-E over virtual levels with scores as utilities, and smart abandonment (§6.3). */
  'abr-star-2021': ({ bandwidthSafety }) =>
    new AbrStar2021({ name: 'abr-star-2021', bandwidthSafety, reviews: 'above-lowest' }),
  /** The same over streams alone: "VOXEL rel" (thesis §6.6.3). */
  'abr-star-reliable': ({ bandwidthSafety }) =>
    new AbrStar2021({ name: 'abr-star-reliable', bandwidthSafety, reviews: 'above-lowest', transport: 'reliable' }),
  /** `abr-star-2021` without review: every download runs to its end (thesis §6.3.3). */
  'bola-ssim': () => new BolaSsim(),
  /** BOLA of the thesis: as `abr-star-2021` with bitrates for utilities, over whole segments. */
  bola: ({ bandwidthSafety }) => new BolaBitrate(bandwidthSafety),
  /** BOLA-E as its authors' simulator has it. */
  'bola-e': () => new BolaE(),
  /** RobustMPC. */
  mpc: () => new Mpc(),
  /** One virtual level per representation, without the unreferenced B-frames. */
  beta: () => new Beta(),
  /** By throughput alone. */
  tput: () => new Tput(),
} satisfies Record<string, (settings: Required<AbrSettings>) => Abr>;

export type AbrName = keyof typeof rules;

/** The names that {@link createAbr} knows. */
export const abrNames = Object.keys(rules) as readonly AbrName[];

/** A new rule for one playback. Throws `AbrError` for a name or a setting that it does not know. */
export function createAbr(name: string, settings: AbrSettings = {}): Abr {
  if (!isAbrName(name)) throw new AbrError('unknown-rule', `no rule ${name}: choose one of ${abrNames.join(', ')}`);
  const { bandwidthSafety = name === 'abr-star' ? PLANNING_SAFETY : REVIEW_SAFETY } = settings;
  if (!(bandwidthSafety > 0 && bandwidthSafety <= 1)) {
    throw new AbrError('bad-setting', `bandwidthSafety must lie in (0, 1], not ${bandwidthSafety}`);
  }
  return rules[name]({ bandwidthSafety });
}

function isAbrName(name: string): name is AbrName {
  return Object.hasOwn(rules, name);
}
