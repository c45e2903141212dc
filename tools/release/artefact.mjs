// @ts-check
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../setup/paths.mjs';
import { UserError } from '../setup/process.mjs';

/** What is published together with every package, word for word. */
export const LICENCE = readFileSync(join(root, 'LICENSE'), 'utf8');

/**
 * What is checked together: a file to publish, or something that all of them share. `bytes` and `files`: of a file to publish.
 * @typedef {{ name: string, bytes?: number, files?: number, passed: string[], failed: string[], leftOut: string[] }} Report
 */

/** @param {string} name @returns {Report} */
export const report = (name) => ({ name: basename(name), passed: [], failed: [], leftOut: [] });

/**
 * Does one check. What it returns, or throws, is what is wrong.
 * @param {Report} of @param {string} check its name @param {() => readonly string[] | void | Promise<readonly string[] | void>} work
 * @returns {Promise<boolean>} whether it passed
 */
export async function check(of, check, work) {
  const problems = await Promise.resolve()
    .then(work)
    .catch((/** @type {unknown} */ error) => {
      if (error instanceof UserError) return [error.message || 'a program failed, see above'];
      return [error instanceof Error ? error.message : String(error)];
    });
  for (const problem of problems ?? []) of.failed.push(`${check}: ${problem}`);
  if (!problems?.length) of.passed.push(check);
  return !problems?.length;
}

/**
 * @param {readonly string[]} found files of a package @param {readonly (string | RegExp)[]} expected what must be there, and patterns of
 *   what may be besides @returns {string[]} a line for each file that is missing or too much
 */
export function contentProblems(found, expected) {
  const missing = expected.filter((file) => typeof file === 'string' && !found.includes(file));
  const surplus = found.filter((file) =>
    expected.every((each) => (typeof each === 'string' ? each !== file : !each.test(file))),
  );
  return [
    ...missing.map((file) => `${String(file)} is missing`),
    ...surplus.map((file) => `${file} does not belong there`),
  ];
}

/** @param {string} text of a package's licence file @returns {string[]} */
export const licenceProblems = (text) => (text === LICENCE ? [] : ['the licence file is not that of the repository']);
