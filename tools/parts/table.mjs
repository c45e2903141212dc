// @ts-check

import { MOST_UNSTEADY } from './second-chance.mjs';

/** @typedef {import('./part.mjs').Row} Row */

const HEAD = ['part', 'seconds', 'cpu', 'passed', 'failed', 'skipped', 'unsteady'];

/** More of them have one cause, and the part's own output has them all. */
const MOST_FAILURES = 20;

/** Of an unsteady test's failure. */
const MOST_CHARACTERS = 400;

/** @param {string} failure @returns in one line */
function shortened(failure) {
  const line = failure.replaceAll(/\s+/g, ' ').trim();
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
}

/** @param {readonly Row[]} rows @returns the table that `npm test` ends with, what was left out, what failed, and what is unsteady; the last line is the sum */
export function tableOf(rows) {
  const cells = rows.map(({ name, seconds, cpu, passed, failed, skipped, unsteady }) => [
    name,
    ...[seconds, cpu, passed, failed, skipped, unsteady.length].map((value) =>
      value === undefined ? '' : String(Math.round(value)),
    ),
  ]);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (/** @type {string[]} */ row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  const leftOut = rows.flatMap(({ name, leftOut }) => leftOut.map((reason) => `left out of ${name}: ${reason}`));
  const failures = rows.flatMap(({ name, failures }) => [
    ...failures.slice(0, MOST_FAILURES).map((text) => `failed in ${name}: ${text}`),
    ...(failures.length > MOST_FAILURES ? [`failed in ${name}: ${failures.length - MOST_FAILURES} more`] : []),
  ]);
  // Where the machine is gone with its output, this is all that is known of them.
  const unsteady = rows.flatMap(({ name, unsteady }) =>
    unsteady.flatMap(({ file, failures }) => [
      `unsteady in ${name}: ${file}`,
      ...failures.slice(0, MOST_FAILURES).map((text) => `  ${shortened(text)}`),
    ]),
  );
  const count = rows.reduce((total, row) => total + row.unsteady.length, 0);
  if (count > MOST_UNSTEADY) unsteady.push(`failed: more than ${MOST_UNSTEADY} unsteady files`);
  const sections = [[HEAD, ...cells].map(line), leftOut, failures, unsteady, [sumLine(rows)]];
  return sections
    .filter((section) => section.length > 0)
    .map((section) => section.join('\n'))
    .join('\n\n');
}

/** @param {readonly Pick<Row, 'passed' | 'failed' | 'skipped'>[]} rows */
export function sumLine(rows) {
  const sum = (/** @type {'passed' | 'failed' | 'skipped'} */ name) =>
    rows.reduce((total, row) => total + row[name], 0);
  return `${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`;
}
