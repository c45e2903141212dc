// @ts-check
// The seed of property tests, the same in all languages: fixed, so that a failure is the change's that is tested.
import { randomInt } from 'node:crypto';
import { UserError } from '../setup/process.mjs';

const DEFAULT_SEED = 0;

/** fast-check takes 32 bits with a sign. */
const MOST = 2 ** 31 - 1;

/**
 * @param {string | undefined} setting as in the environment's `SEED`: a number, or `random`
 * @returns {number} the same for the same setting, but for `random`. Throws a `UserError`.
 */
export function seedOf(setting) {
  if (setting === undefined || setting === '') return DEFAULT_SEED;
  if (setting === 'random') return randomInt(1, MOST);
  const seed = Number(setting);
  if (/^\d+$/.test(setting) && seed <= MOST) return seed;
  throw new UserError(`SEED must be an integer from 0 to ${MOST}, or random, got '${setting}'`);
}
