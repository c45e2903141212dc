// @ts-check
import { parseArgs } from 'node:util';
import { UserError } from './process.mjs';

/**
 * Node's `parseArgs`, whose complaints are for the user. Throws a `UserError` that names the option.
 * @template {import('node:util').ParseArgsConfig} Config
 * @param {Config} config @returns {ReturnType<typeof parseArgs<Config>>}
 */
export function parseCommandLine(config) {
  try {
    return parseArgs(config);
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new UserError(`${reason} (see --help)`);
  }
}

/** @typedef {{ low: number, high: number }} Bounds both allowed */

/**
 * The number that an option gives, undefined where it is not given. Throws a `UserError` that names the option.
 * @overload
 * @param {string} name @param {string} text @param {Bounds} bounds @returns {number}
 */
/**
 * @overload
 * @param {string} name @param {string | undefined} text @param {Bounds} bounds @returns {number | undefined}
 */
/** @param {string} name @param {string | undefined} text @param {Bounds} bounds */
export function numberOption(name, text, bounds) {
  return text === undefined ? undefined : (within(text, bounds) ?? refuse(name, text, 'number', bounds));
}

/**
 * As `numberOption`, for what is counted.
 * @overload
 * @param {string} name @param {string} text @param {Bounds} bounds @returns {number}
 */
/**
 * @overload
 * @param {string} name @param {string | undefined} text @param {Bounds} bounds @returns {number | undefined}
 */
/** @param {string} name @param {string | undefined} text @param {Bounds} bounds */
export function integerOption(name, text, bounds) {
  if (text === undefined) return undefined;
  const value = within(text, bounds);
  return value !== undefined && Number.isInteger(value) ? value : refuse(name, text, 'whole number', bounds);
}

/**
 * One of a few words, undefined where it is not given. Throws a `UserError` that names the option.
 * @param {string} name @param {string | undefined} text @param {readonly string[]} allowed
 */
export function choiceOption(name, text, allowed) {
  if (text !== undefined && !allowed.includes(text))
    throw new UserError(`--${name} must be one of ${allowed.join(', ')}, got '${text}'`);
  return text;
}

/** @param {string} text @param {Bounds} bounds */
function within(text, { low, high }) {
  const value = Number(text);
  return text.trim() !== '' && value >= low && value <= high ? value : undefined;
}

/** @param {string} name @param {string} text @param {string} what @param {Bounds} bounds @returns {never} */
function refuse(name, text, what, { low, high }) {
  throw new UserError(`--${name} must be a ${what} from ${low} to ${high}, got '${text}'`);
}
