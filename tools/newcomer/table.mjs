// @ts-check
/** @typedef {'ran' | 'stand-in' | 'listed' | 'FAILED'} Outcome */

/**
 * What became of a block; `line` 0: of a page that is opened at the end.
 * @typedef {{ document: string, line: number, block: string, outcome: Outcome, reason: string, seconds?: number }} Row
 */

const HEAD = ['document', 'block', 'outcome', 'reason'];

/** @param {readonly Row[]} rows @returns {string} a table, and how many there are of each */
export function newcomerTable(rows) {
  const cells = rows.map(({ document, line, block, outcome, reason }) => [
    line === 0 ? document : `${document}:${line}`,
    block,
    outcome,
    reason,
  ]);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const lines = [HEAD, ...cells].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, '', countsOf(rows)].join('\n');
}

/** @param {readonly Row[]} rows */
export function countsOf(rows) {
  const count = (/** @type {Outcome} */ outcome) => rows.filter((row) => row.outcome === outcome).length;
  return `${count('ran')} ran, ${count('stand-in')} with a stand-in, ${count('listed')} listed, ${count('FAILED')} failed`;
}

/** What a block is called: its file, or its first command. @param {import('../walk/blocks.mjs').Block} block */
export function nameOf({ language, use, code }) {
  if (language !== 'sh' && use?.includes('.')) return use;
  const first = code.split('\n').find((line) => line.trim() !== '' && !line.startsWith('#')) ?? '';
  const name = language === 'sh' ? first.replace(/\s+#.*$/, '').trim() : `(${language}) ${first.trim()}`;
  return name.length > 60 ? `${name.slice(0, 59)}…` : name;
}
