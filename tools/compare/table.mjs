// @ts-check

/** @typedef {import('../../demo/compare/voxel-compare.js').CompareReport} CompareReport */
/** @typedef {CompareReport['players'][number]} Player */

/** @type {readonly { head: string, value: (player: Player) => number | undefined, digits: number, isLive?: true }[]} */
const COLUMNS = [
  { head: 'waited, s', value: ({ waited }) => waited, digits: 2 },
  { head: 'pictures/s', value: ({ picturesPerSecond }) => picturesPerSecond, digits: 1 },
  { head: 'longest still, s', value: ({ longestStill }) => longestStill, digits: 2 },
  { head: 'still, %', value: ({ stillShare }) => 100 * stillShare, digits: 1 },
  { head: 'SSIM', value: ({ ssim }) => ssim, digits: 4 },
  { head: 'behind, s', value: ({ latency }) => latency, digits: 2, isLive: true },
];

/**
 * Seconds waited of every player in every run, beside them what the viewer got to see: pictures, how long one stood, their score, and how far behind a
 * live stream was seen; below them the means.
 * @param {readonly CompareReport[]} reports @returns {string}
 */
export function runsTable(reports) {
  const isLive = reports.some(({ preset }) => preset.isLive);
  const columns = COLUMNS.filter((column) => isLive || !column.isLive);
  const names = reports[0]?.players.map(({ id }) => id) ?? [];
  const text = (/** @type {number | undefined} */ value, /** @type {number} */ digits) => value?.toFixed(digits) ?? '–';
  /** @param {string} run @param {readonly CompareReport[]} of */
  const rows = (run, of) =>
    names.map((name, place) => [
      ...[run, name],
      ...columns.map(({ value, digits }) =>
        text(mean(of.flatMap(({ players }) => valueOf(players[place], value))), digits),
      ),
    ]);
  const all = reports.flatMap((report, run) => rows(String(run + 1), [report]));
  const means = reports.length > 1 ? rows('mean', reports) : [];
  const lines = [['run', 'player', ...columns.map(({ head }) => head)], ...all, ...means];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines.map((line) => line.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')).join('\n');
}

/** @param {Player | undefined} player @param {(player: Player) => number | undefined} value */
function valueOf(player, value) {
  return player === undefined ? undefined : value(player);
}

/** Of those that are known. @param {readonly (number | undefined)[]} values */
function mean(values) {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}
