import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';
import { matricesBlock, matrixBlock } from './blocks.js';
import { claimsBlock, verdictsBlock } from './claims.js';
import { filled, formatted, textOf, type Document } from './documents.js';
import { keptMatrices, RESULTS, type Matrix } from './kept.js';
import { allFiguresBlock, newPage } from './pages.js';
import { tablesBlock } from './tables.js';
import { calibrationTable } from '../report/calibration.js';
import { keptCells } from '../../sim/losses/kept.js';
import { KEPT_OUT_SET, SETS } from '../../sim/losses/sets.js';
import { setTables, verdictsTables } from '../../sim/losses/tables.js';
import { constantsTable } from '../../sim/rivals/constants-table.js';
import { keptConstants, keptLines, RIVALS_FILE } from '../../sim/rivals/kept.js';
import { rivalsTables } from '../../sim/rivals/report-traces.js';
import { startsTables } from '../../sim/rivals/starts.js';
import { tailsTables } from '../../sim/rivals/tails.js';

/** Documents with blocks besides those in the folders of `docs/results/`. */
const DOCUMENTS = ['docs/EVIDENCE.md', 'docs/RESULTS.md', `${RESULTS}/README.md`];

/** The documents as they should be: what stands in their blocks is computed anew, a matrix without a page gets one. */
export async function expectedDocuments(): Promise<Document[]> {
  const matrices = keptMatrices();
  const pages = readdirSync(join(root, RESULTS))
    .map((name) => ({ name, path: `${RESULTS}/${name}/README.md` }))
    .filter(({ name, path }) => matrices.has(name) || existsSync(join(root, path)))
    .map(({ name, path }) => ({ path, text: textOf(path) || newPage(matrices.get(name)!) }));
  const texts = [...DOCUMENTS.map((path) => ({ path, text: textOf(path) })), ...pages];
  const documents = texts.map(({ path, text }) => ({
    path,
    text: filled(path, text, (name) => blockOf(name, matrices)),
  }));
  return Promise.all(documents.map(formatted));
}

function blockOf(name: string, matrices: ReadonlyMap<string, Matrix>): string | undefined {
  if (name === 'matrices') return matricesBlock(matrices);
  if (name === 'calibration') return calibrationTable([...matrices.values()]);
  if (name === 'simulated rivals') return rivalsTables(keptLines(RIVALS_FILE));
  if (name === 'simulated starts') return startsTables(keptLines(RIVALS_FILE));
  if (name === 'simulated tails') return tailsTables(keptLines(RIVALS_FILE));
  if (name === 'losses verdicts') return verdictsTables(keptCells(), [...SETS, KEPT_OUT_SET]);
  const [, losses] = /^losses of (.+)$/.exec(name) ?? [];
  if (losses !== undefined) return setTables(keptCells(), losses);
  if (name === 'constants') return constantsTable(keptConstants());
  if (name === 'verdicts') return verdictsBlock(matrices);
  const [, part, matrix] = /^(all|tables) of (.+)$/.exec(name) ?? [];
  if (part === undefined) return claimsBlock(name, matrices) ?? matrixBlock(name, matrices.get(name));
  const kept = matrices.get(matrix!);
  return kept && (part === 'all' ? allFiguresBlock : tablesBlock)(kept);
}
