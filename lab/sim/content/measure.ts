// Rewrites measured.json from prepared clips:
//   node --import tsx lab/sim/content/measure.ts DIR… > lab/sim/content/measured.json
import { preparedContent } from './prepared.js';
import { measure } from './measured.js';

const segments = process.argv.slice(2).flatMap((folder) => measure(preparedContent(folder)));
console.log(`[\n${segments.map((segment) => JSON.stringify(segment)).join(',\n')}\n]`);
