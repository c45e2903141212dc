// @ts-check
// Where a clock is in a test, a busy machine may fail what is right: such a file runs once more, alone. It is a defect even if it passes then.

/**
 * @typedef {import('./counts.mjs').Counts} Counts
 * @typedef {import('./counts.mjs').FailedFile} FailedFile
 * @typedef {import('./part.mjs').Part} Part
 * @typedef {import('./part.mjs').Row} Row
 */

/** More unsteady files in one run fail it. */
export const MOST_UNSTEADY = 2;

/** More failed files in one run have another cause than a busy machine: none of them runs again. */
const MOST_AGAIN = 5;

/**
 * Runs failed files once more, one after the other. A part's failures that are in no file of its tests stay what they are.
 * @param {ReadonlyMap<Part, Row>} rows @param {(part: Part, file: FailedFile) => Promise<Counts>} again
 * @returns {Promise<Map<Part, Row>>} the rows, with what passed now counted as passed, and its files as unsteady
 */
export async function withSecondChances(rows, again) {
  const after = new Map(rows);
  const failed = [...rows].flatMap(([part, { files = [] }]) =>
    part.again ? files.map((file) => /** @type {const} */ ([part, file])) : [],
  );
  if (failed.length > MOST_AGAIN) return after;
  for (const [part, file] of failed) {
    const counts = await again(part, file);
    const row = after.get(part);
    if (row && hasPassed(counts)) after.set(part, asUnsteady(row, file));
  }
  return after;
}

/** @param {Counts} counts of one file */
export const hasPassed = ({ passed, failed }) => failed === 0 && passed > 0;

/** @param {Row} row @param {FailedFile} passed @returns {Row} */
function asUnsteady(row, { file, failed, failures }) {
  return {
    ...row,
    passed: row.passed + failed,
    failed: row.failed - failed,
    failures: row.failures.filter((text) => !failures.includes(text)),
    unsteady: [...row.unsteady, { file, failures }],
  };
}

/** @param {Iterable<Row>} rows @returns {boolean} whether `npm test` has failed */
export function hasFailed(rows) {
  const all = [...rows];
  return all.some(({ failed }) => failed > 0) || all.flatMap(({ unsteady }) => unsteady).length > MOST_UNSTEADY;
}
