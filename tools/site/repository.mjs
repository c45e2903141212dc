// @ts-check
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/paths.mjs';

/** The files of the repository, tracked or new. @returns {string[]} */
export function repositoryFiles() {
  const options = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const listed = execFileSync('git', options, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
}
