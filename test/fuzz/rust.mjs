// @ts-check
// The parsers of voxel-quiche, with cargo-fuzz: server/quiche/fuzz has the targets, the seeds and what is found.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { root } from '../../tools/setup/paths.mjs';
import { outputOf, UserError } from '../../tools/setup/process.mjs';
import { cargoEnvironment, hasCargo, noRust } from '../../tools/setup/rust.mjs';

const folder = join(root, 'server/quiche/fuzz');

export const targets = readdirSync(join(folder, 'fuzz_targets')).map((file) => parse(file).name);

/** @param {readonly string[]} chosen @param {number} secondsEach @returns {Promise<boolean>} */
export function fuzz(chosen, secondsEach) {
  if (!hasCargo('server/quiche')) throw new UserError(noRust('server/quiche'));
  if (outputOf('env', [`PATH=${cargoEnvironment.PATH}`, 'cargo', 'fuzz', '--version']) === undefined) {
    throw new UserError('cargo-fuzz is not installed (cargo install cargo-fuzz)');
  }
  const args = [String(secondsEach), ...chosen];
  const { status } = spawnSync(join(folder, 'run.sh'), args, { stdio: 'inherit', env: cargoEnvironment });
  return Promise.resolve(status === 0);
}
