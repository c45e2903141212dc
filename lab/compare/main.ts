import { UserError } from '../../tools/setup/process.mjs';
import { compare } from './compare.js';

/** Where it is packed, `tools/package/lab.mjs` says which version it is. */
declare const VOXEL_LAB_VERSION: string | undefined;

const USAGE = `Usage: voxel-lab compare --rule FILE [options]   your bitrate rule beside voxel-dash's and dash.js' (see compare --help)
       voxel-lab --version`;

/** `voxel-lab`. Resolves to the exit code. */
export async function main([command, ...args]: readonly string[]): Promise<number> {
  if (command === 'compare') return compare(args);
  if (command === '--version') console.log(typeof VOXEL_LAB_VERSION === 'string' ? VOXEL_LAB_VERSION : 'checkout');
  else if (command === undefined || command === '--help' || command === '-h') console.log(USAGE);
  else throw new UserError(`unknown command '${command}': expected compare (see --help)`);
  return 0;
}
