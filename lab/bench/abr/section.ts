import type { Experiment } from '../../sim/experiment.js';
import { PAPER_PATH } from '../../sim/experiment.js';
import type { Bar } from '../../sim/report/bar.js';

/** `quick` looks at fewer traces and starts. */
export type Scale = 'full' | 'quick';

/** What a part of the benchmark has to say. */
export interface Section {
  readonly title: string;
  /** For people. */
  readonly text: string;
  /** For `--json`. */
  readonly data: unknown;
  readonly bars: readonly Bar[];
}

/** Every rule as it is published: each asks for the transport it is made for. */
export const RULES = [
  'tput',
  'bola',
  'bola-e',
  'mpc',
  'beta',
  'bola-ssim',
  'abr-star-2021',
  'abr-star-reliable',
  'abr-star',
] as const;

/** What all others are compared with. */
export const BASELINE = 'bola-e';

/** The thesis' scenario over its synthetic stream; the caller adds traces, starts, rules and buffers. */
export const SCENARIO = {
  content: 'synthetic',
  segments: 75,
  transport: PAPER_PATH,
  seed: 1,
} as const satisfies Partial<Experiment>;
