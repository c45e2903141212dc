import { matricesBlock, matrixBlock } from './blocks.js';
import { claimsBlock, verdictsBlock } from './claims.js';
import { filled, formatted, textOf, type Document } from './documents.js';
import { keptMatrices, type Matrix } from './kept.js';
import { matrixPage } from './pages.js';
import { calibrationTable } from '../report/calibration.js';
import { constantsTable } from '../../sim/rivals/constants-table.js';
import { CONSTANTS_FILE, keptLines, RIVALS_FILE } from '../../sim/rivals/kept.js';
import { rivalsTables } from '../../sim/rivals/report-traces.js';

const RESULTS = 'docs/RESULTS.md';
const EVIDENCE = 'docs/EVIDENCE.md';
const TRIALS = 'docs/TRIALS.md';
const ABR = 'docs/ABR.md';

export async function expectedDocuments(): Promise<Document[]> {
  const matrices = keptMatrices();
  const pages = [...matrices.values()].map((matrix) => ({
    path: `${matrix.folder}/README.md`,
    text: matrixPage(matrix),
  }));
  const documents = [EVIDENCE, RESULTS, TRIALS, ABR].map((path) => ({
    path,
    text: filled(path, textOf(path), (name) => blockOf(name, matrices)),
  }));
  return Promise.all([...documents, ...pages].map(formatted));
}

function blockOf(name: string, matrices: ReadonlyMap<string, Matrix>): string | undefined {
  if (name === 'matrices') return matricesBlock(matrices);
  if (name === 'calibration') return calibrationTable([...matrices.values()]);
  if (name === 'simulated rivals') return rivalsTables(keptLines(RIVALS_FILE));
  if (name === 'constants') return constantsTable(keptLines(CONSTANTS_FILE));
  if (name === 'verdicts') return verdictsBlock(matrices);
  return claimsBlock(name, matrices) ?? matrixBlock(name, matrices.get(name));
}
