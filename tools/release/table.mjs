// @ts-check
/** @typedef {import('./artefact.mjs').Report} Report */

const HEAD = ['artefact', 'kB', 'files', 'checks'];

/** @param {readonly Report[]} reports @returns the table that the command ends with, what was left out, and what failed; the last line is the sum */
export function releaseTable(reports) {
  const rows = reports.map(({ name, bytes, files, passed, failed }) => [
    name,
    bytes === undefined ? '' : (bytes / 1000).toFixed(0),
    files === undefined ? '' : String(files),
    [...passed, ...(failed.length > 0 ? [`${failed.length} FAILED`] : [])].join(', '),
  ]);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (/** @type {string[]} */ row) =>
    row
      .map((cell, column) =>
        column === 0 || column === 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const lines = (/** @type {'failed' | 'leftOut'} */ kind, /** @type {string} */ word) =>
    reports.flatMap((each) => each[kind].map((text) => `${word}: ${each.name}: ${text}`));
  const count = (/** @type {'passed' | 'failed' | 'leftOut'} */ kind) =>
    reports.reduce((sum, each) => sum + each[kind].length, 0);
  const sum = `${count('passed')} checks passed, ${count('failed')} failed, ${count('leftOut')} left out`;
  return [[HEAD, ...rows].map(line), lines('leftOut', 'left out'), lines('failed', 'failed'), [sum]]
    .filter((section) => section.length > 0)
    .map((section) => section.join('\n'))
    .join('\n\n');
}
