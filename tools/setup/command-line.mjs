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
