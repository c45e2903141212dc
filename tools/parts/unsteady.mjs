// @ts-check
// The record of unsteady files: both outputs under output/tests/, and a line of test/unsteady.md.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../setup/paths.mjs';
import { outputOf } from '../setup/process.mjs';

/** @typedef {{ part: string, file: string, failures: readonly string[], first: string, again: string }} Unsteady */

export const RECORD = join(root, 'test', 'unsteady.md');
const OUTPUTS = join(root, 'output', 'tests');

/** Of the line that says what failed. */
const MOST_CHARACTERS = 160;

/**
 * Keeps what a file printed when it failed and when it passed, and adds its line to the record.
 * @param {Unsteady} unsteady @returns {Promise<string>} the folder of the outputs, from the checkout's root
 */
export async function recordUnsteady({ part, file, failures, first, again }) {
  const now = new Date().toISOString();
  const folder = join(OUTPUTS, `${now.slice(0, 19).replaceAll(':', '')}-${part}-${file.replaceAll(/\W+/g, '-')}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'failed.txt'), first);
  writeFileSync(join(folder, 'passed.txt'), again);
  const commit = outputOf('git', ['-C', root, 'rev-parse', '--short=7', 'HEAD']) ?? '';
  // What follows the first line is where it failed, with paths of this machine.
  const [failure = ''] = (failures[0] ?? '').trim().split('\n', 1);
  const row = rowOf([now.slice(0, 10), commit, part, file, failure, '']);
  const { format, resolveConfig } = await import('prettier');
  const options = await resolveConfig(RECORD);
  const text = `${readFileSync(RECORD, 'utf8').trimEnd()}\n${row}\n`;
  writeFileSync(RECORD, await format(text, { ...options, parser: 'markdown' }));
  return relative(root, folder);
}

/**
 * A row of a table in Markdown. @param {readonly string[]} cells empty, or shown as they are, in one line @returns {string}
 */
export function rowOf(cells) {
  const shown = cells.map((cell) => {
    const line = cell.replaceAll(/\s+/g, ' ').trim();
    const short = line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
    return short && `\`${short.replaceAll('`', "'").replaceAll('|', '\\|')}\``;
  });
  return `| ${shown.join(' | ')} |`;
}
