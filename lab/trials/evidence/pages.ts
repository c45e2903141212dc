import { labelOf } from '../report/charts.js';
import { explained, factsOf } from '../report/facts.js';
import { table } from '../report/markdown.js';
import { chartedSystems } from '../report/write.js';
import { commandOf, type Matrix } from './kept.js';

/** First `README.md` of a matrix' folder: its title and the block of all its figures. Prose and other blocks are added by hand. */
export function newPage({ name, config }: Matrix): string {
  return `# ${config.title}\n\n<!-- evidence: all of ${name} -->\n<!-- end of evidence -->\n`;
}

/** Everything about the sessions of a matrix. */
export function allFiguresBlock(matrix: Matrix): string {
  const { name, config, sessions, invalid, planned, rows } = matrix;
  const facts = [...factsOf(config, sessions, planned), `${invalid} attempts do not count`];
  return `\`\`\`sh
${commandOf(name)}
\`\`\`

${facts.map((fact) => `- ${fact}`).join('\n')}

${explained(rows, labelOf(chartedSystems(config.systems), config.baseline))}

${table(rows, 'in columns')}`;
}
