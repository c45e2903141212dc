import { matricesBlock, matrixBlock } from './blocks.js';
import { claimsBlock, verdictsBlock } from './claims.js';
import { filled, formatted, textOf, type Document } from './documents.js';
import { keptMatrices, type Matrix } from './kept.js';
import { matrixPage } from './pages.js';

const RESULTS = 'docs/RESULTS.md';
const EVIDENCE = 'docs/EVIDENCE.md';

export async function expectedDocuments(): Promise<Document[]> {
  const matrices = keptMatrices();
  const pages = [...matrices.values()].map((matrix) => ({
    path: `${matrix.folder}/README.md`,
    text: matrixPage(matrix),
  }));
  const documents = [EVIDENCE, RESULTS].map((path) => ({
    path,
    text: filled(path, textOf(path), (name) => blockOf(name, matrices)),
  }));
  return Promise.all([...documents, ...pages].map(formatted));
}

function blockOf(name: string, matrices: ReadonlyMap<string, Matrix>): string | undefined {
  if (name === 'matrices') return matricesBlock(matrices);
  if (name === 'verdicts') return verdictsBlock(matrices);
  return claimsBlock(name, matrices) ?? matrixBlock(name, matrices.get(name));
}
