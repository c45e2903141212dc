// @ts-check

/** @typedef {import('../../demo/compare/voxel-compare.js').CompareReport} CompareReport */

/** Seconds waited of every run, SSIM, and how far behind a live stream was seen; below them the means. @param {readonly CompareReport[]} reports @returns {string} */
export function runsTable(reports) {
  const names = reports[0]?.players.map(({ id }) => id) ?? [];
  const isLive = reports.some(({ preset }) => preset.isLive);
  const columns = [
    ...names.map((name, place) => ({ head: `${name}, s`, value: valueOf(place, 'waited'), digits: 2 })),
    ...names.map((name, place) => ({ head: `${name}, SSIM`, value: valueOf(place, 'ssim'), digits: 4 })),
    ...(isLive ? names : []).map((name, place) => ({
      ...{ head: `${name}, s behind`, value: valueOf(place, 'latency'), digits: 2 },
    })),
  ];
  const text = (/** @type {number | undefined} */ value, /** @type {number} */ digits) => value?.toFixed(digits) ?? '–';
  const head = ['run', ...columns.map(({ head }) => head)];
  const rows = reports.map((report, run) => [
    String(run + 1),
    ...columns.map(({ value, digits }) => text(value(report), digits)),
  ]);
  const means = ['mean', ...columns.map(({ value, digits }) => text(mean(reports.map(value)), digits))];
  const lines = [head, ...rows, ...(rows.length > 1 ? [means] : [])];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) => line.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')).join('\n');
}

/** @param {number} place of the player @param {'waited' | 'ssim' | 'latency'} name @returns {(report: CompareReport) => number | undefined} */
function valueOf(place, name) {
  return ({ players }) => players[place]?.[name];
}

/** Of those that are known. @param {readonly (number | undefined)[]} values */
function mean(values) {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}
