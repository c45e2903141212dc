import { AbrStar2021 } from './rivals/abr-star-2021.js';
import { Bba } from './rivals/bba.js';
import { Beta } from './rivals/beta.js';
import { BolaBitrate } from './rivals/bola-bitrate.js';
import { BolaE } from './rivals/bola-e.js';
import { BolaSsim } from './rivals/bola-ssim.js';
import { createAbrStar } from './star/create-abr-star.js';
import { AbrError } from './errors.js';
import { Mpc } from './rivals/mpc.js';
import { bandwidthSafetyOf, type AbrSettings } from './settings.js';
import { Fugu } from './rivals/fugu.js';
import { Soda } from './rivals/soda.js';
import { Tput } from './rivals/tput.js';
import type { Abr } from './types.js';

const REVIEW_SAFETY = 0.9;

/** A rule that has a name. */
interface NamedRule {
  /** What people read. */
  readonly label: string;
  /** Makes one for one playback. */
  readonly create: (settings: AbrSettings) => Abr;
  /** False: the rule chooses the same whatever the link does. */
  readonly adapts?: false;
}

/** Keeps the names as a type, without the rules' own types. */
function named<Name extends string>(rules: Readonly<Record<Name, NamedRule>>): Readonly<Record<Name, NamedRule>> {
  return rules;
}

const rules = named({
  /** Plans ahead for the best quality of experience to be expected, keeping what has arrived as the way out. */
  'abr-star': { label: 'ABR*', create: (settings) => createAbrStar(settings) },
  /** The rule of the thesis: BOLA-E over virtual levels with scores as utilities, and smart abandonment (§6.3). */
  'abr-star-2021': {
    label: 'ABR* of 2021',
    create: (settings) =>
      new AbrStar2021({ name: 'abr-star-2021', bandwidthSafety: reviewSafety(settings), reviews: 'above-lowest' }),
  },
  /** The same over streams alone: "VOXEL rel" (thesis §6.6.3). */
  'abr-star-reliable': {
    label: 'ABR* of 2021, streams only',
    create: (settings) =>
      new AbrStar2021({
        name: 'abr-star-reliable',
        bandwidthSafety: reviewSafety(settings),
        reviews: 'above-lowest',
        delivery: 'streams',
      }),
  },
  /** `abr-star-2021` without review: every download runs to its end (thesis §6.3.3). */
  'bola-ssim': { label: 'BOLA-SSIM', create: () => new BolaSsim() },
  /** BOLA of the thesis: as `abr-star-2021` with bitrates for utilities, over whole segments. */
  bola: { label: 'BOLA of the thesis', create: (settings) => new BolaBitrate(reviewSafety(settings)) },
  /** BOLA-E as its authors' simulator has it. */
  'bola-e': { label: 'BOLA-E', create: () => new BolaE() },
  /** RobustMPC. */
  mpc: { label: 'RobustMPC', create: () => new Mpc() },
  /** Few switches and a buffer near its target. */
  soda: { label: 'SODA', create: () => new Soda() },
  /** Over a learnt distribution of transmission times. */
  fugu: { label: 'Fugu-like', create: () => new Fugu() },
  /** By the buffer alone. */
  bba: { label: 'BBA', create: () => new Bba() },
  /** One virtual level per representation, without the unreferenced B-frames. */
  beta: { label: 'BETA', create: () => new Beta() },
  /** By throughput alone. */
  tput: { label: 'Throughput', create: () => new Tput() },
});

export type AbrName = keyof typeof rules;

/** The names that {@link createAbr} knows. */
export const abrNames = Object.keys(rules) as readonly AbrName[];

/** Those whose choice depends on the link. */
export const adaptiveNames = abrNames.filter((name) => rules[name].adapts !== false);

/** What people read instead of the names. */
export const abrLabels = Object.fromEntries(abrNames.map((name) => [name, rules[name].label])) as Readonly<
  Record<AbrName, string>
>;

/** A new rule for one playback. Throws `AbrError` for a name or a setting that it does not know. */
export function createAbr(name: string, settings: AbrSettings = {}): Abr {
  if (!isAbrName(name)) throw new AbrError('unknown-rule', `no rule ${name}: choose one of ${abrNames.join(', ')}`);
  return rules[name].create(settings);
}

function reviewSafety(settings: AbrSettings): number {
  return bandwidthSafetyOf(settings, REVIEW_SAFETY);
}

function isAbrName(name: string): name is AbrName {
  return Object.hasOwn(rules, name);
}
