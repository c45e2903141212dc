import { AbrError } from '../../src/abr-star/errors.js';
import { bandwidthSafetyOf, type AbrSettings } from '../../src/abr-star/settings.js';
import { createAbrStar } from '../../src/abr-star/star/create-abr-star.js';
import type { Abr } from '../../src/abr-star/types.js';
import { AbrStar2021 } from './abr-star-2021.js';
import { Bba } from './bba.js';
import { Beta } from './beta.js';
import { BolaBitrate } from './bola-bitrate.js';
import { BolaE } from './bola-e.js';
import { BolaSsim } from './bola-ssim.js';
import { Fugu } from './fugu.js';
import { Mpc } from './mpc.js';
import { Soda } from './soda.js';
import { Tput } from './tput.js';

const REVIEW_SAFETY = 0.9;

/** Makes a rule for one playback. */
type Create = (settings: AbrSettings) => Abr;

/** Keeps the names as a type, without the rules' own types. */
function named<Name extends string>(rules: Readonly<Record<Name, Create>>): Readonly<Record<Name, Create>> {
  return rules;
}

const rules = named({
  /** Plans ahead for the best quality of experience to be expected, keeping what has arrived as the way out. */
  'abr-star': (settings) => createAbrStar(settings),
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
  /** Few switches and a buffer near its target. */
  soda: () => new Soda(),
  /** Over a learnt distribution of transmission times. */
  fugu: () => new Fugu(),
  /** Chooses by the buffer alone. */
  bba: () => new Bba(),
  /** One virtual level per representation, without the unreferenced B-frames. */
  beta: () => new Beta(),
  /** Chooses by throughput alone. */
  tput: () => new Tput(),
});

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
