import { labelOf } from '../report/charts.js';
import { explained, factsOf } from '../report/facts.js';
import { table } from '../report/markdown.js';
import { chartedSystems } from '../report/write.js';
import { commandOf, type Matrix } from './kept.js';

/** What is written above all that is generated. */
export const GENERATED = '<!-- Written by `npm run evidence`: do not edit. -->';

/** `README.md` of a matrix' folder: everything about its sessions. */
export function matrixPage(matrix: Matrix): string {
  const { name, config, sessions, invalid, planned, rows } = matrix;
  const facts = [...factsOf(config, sessions, planned), `${invalid} attempts do not count`];
  return `${GENERATED}

# ${config.title}

\`\`\`sh
${commandOf(name)}
\`\`\`

${facts.map((fact) => `- ${fact}`).join('\n')}

${explained(rows, labelOf(chartedSystems(config.systems), config.baseline))}

${table(rows, 'in columns')}
`;
}
