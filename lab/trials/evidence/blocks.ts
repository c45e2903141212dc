import { commitsOf, progress } from '../report/facts.js';
import { markdownTable } from '../../sim/report/markdown-table.js';
import { headline } from './headlines.js';
import { commandOf, type Matrix } from './kept.js';

/** What docs/RESULTS.md shows of a matrix; `undefined`: no such configuration was ever kept, and none is expected. */
export function matrixBlock(name: string, matrix: Matrix | undefined): string {
  if (!matrix) return `\`\`\`sh\n${commandOf(name)}\n\`\`\`\n\nNot yet measured.`;
  const { sessions, planned } = matrix;
  const dates = sessions.map(({ date }) => date.slice(0, 10)).sort();
  const days = [...new Set([dates[0], dates.at(-1)])].join(' to ');
  const facts = `${capital(progress(sessions.length, planned))}; ${commitsOf(sessions)}; ${days}.`;
  return `${headline(matrix)}\n\n${facts} [Command and all figures](results/${name}/README.md).`;
}

/** A row for each matrix. */
export function matricesBlock(matrices: ReadonlyMap<string, Matrix>): string {
  const lines = [...matrices.values()].map(({ name, config, sessions, planned, invalid }) => [
    `[${name}](${name}/README.md)`,
    config.title,
    `${sessions.length} of ${planned ?? 'all'}`,
    String(invalid),
    commitsOf(sessions).replace(/^commits? /, ''),
  ]);
  return markdownTable([['matrix', 'about', 'sessions', 'attempts that do not count', 'commits'], ...lines]);
}

const capital = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`;
