// Rewrites measured-content.json from prepared clips:
//   node --import tsx test/sim/measure-content.ts DIR… > test/sim/measured-content.json
import { preparedContent } from './content-prepared.js';
import { measure } from './measured-content.js';

const segments = process.argv.slice(2).flatMap((folder) => measure(preparedContent(folder)));
console.log(`[\n${segments.map((segment) => JSON.stringify(segment)).join(',\n')}\n]`);
