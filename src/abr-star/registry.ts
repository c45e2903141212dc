import { AbrStar2021 } from './rivals/abr-star-2021.js';
import { Beta } from './rivals/beta.js';
import { BolaBitrate } from './rivals/bola-bitrate.js';
import { BolaE } from './rivals/bola-e.js';
import { BolaSsim } from './rivals/bola-ssim.js';
import { createAbrStar } from './star/create-abr-star.js';
import { AbrError } from './errors.js';
import { Mpc } from './rivals/mpc.js';
import { bandwidthSafetyOf, type AbrSettings } from './settings.js';
import { Tput } from './rivals/tput.js';
import type { Abr } from './types.js';

const REVIEW_SAFETY = 0.9;

const rules = {
  /** ABR*: plans ahead for the best quality of experience to be expected, keeping what has arrived as the way out. */
  'abr-star': createAbrStar,
  /** The rule of the thesis: BOLA-E over virtual levels with scores as utilities, and smart abandonment (§6.3). */
  'abr-star-2021': (settings) =>
    new AbrStar2021({ name: 'abr-star-2021', bandwidthSafety: reviewSafety(settings), reviews: 'above-lowest' }),
  /** The same over streams alone: "VOXEL rel" (thesis §6.6.3). */
  'abr-star-reliable': (settings) =>
    new AbrStar2021({
      name: 'abr-star-reliable',
      bandwidthSafety: reviewSafety(settings),
      reviews: 'above-lowest',
      delivery: 'streams',
    }),
  /** `abr-star-2021` without review: every download runs to its end (thesis §6.3.3). */
  'bola-ssim': () => new BolaSsim(),
  /** BOLA of the thesis: as `abr-star-2021` with bitrates for utilities, over whole segments. */
  bola: (settings) => new BolaBitrate(reviewSafety(settings)),
  /** BOLA-E as its authors' simulator has it. */
  'bola-e': () => new BolaE(),
  /** RobustMPC. */
  mpc: () => new Mpc(),
  /** One virtual level per representation, without the unreferenced B-frames. */
  beta: () => new Beta(),
  /** By throughput alone. */
  tput: () => new Tput(),
} satisfies Record<string, (settings: AbrSettings) => Abr>;

export type AbrName = keyof typeof rules;

/** The names that {@link createAbr} knows. */
export const abrNames = Object.keys(rules) as readonly AbrName[];

/** A new rule for one playback. Throws `AbrError` for a name or a setting that it does not know. */
export function createAbr(name: string, settings: AbrSettings = {}): Abr {
  if (!isAbrName(name)) throw new AbrError('unknown-rule', `no rule ${name}: choose one of ${abrNames.join(', ')}`);
  return rules[name](settings);
}

function reviewSafety(settings: AbrSettings): number {
  return bandwidthSafetyOf(settings, REVIEW_SAFETY);
}

function isAbrName(name: string): name is AbrName {
  return Object.hasOwn(rules, name);
}
