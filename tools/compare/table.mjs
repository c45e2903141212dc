// @ts-check

/** @typedef {import('../../demo/compare/voxel-compare.js').CompareReport} CompareReport */

/** Seconds waited of every run, and SSIM; below them the means. @param {readonly CompareReport[]} reports @returns {string} */
export function runsTable(reports) {
  const names = reports[0]?.players.map(({ id }) => id) ?? [];
  const head = ['run', ...names.map((name) => `${name}, s`), ...names.map((name) => `${name}, SSIM`)];
  const rows = reports.map(({ players }, run) => [
    String(run + 1),
    ...players.map(({ waited }) => waited.toFixed(2)),
    ...players.map(({ ssim }) => (ssim === undefined ? '–' : ssim.toFixed(4))),
  ]);
  const mean = (/** @type {number} */ column) => rows.reduce((sum, row) => sum + Number(row[column]), 0) / rows.length;
  const means = head.map((_, column) => (column === 0 ? 'mean' : mean(column).toFixed(column > names.length ? 4 : 2)));
  const lines = [head, ...rows, ...(rows.length > 1 ? [means] : [])];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) => line.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')).join('\n');
}
