// `npm run rooms -- FOLDER [CHECKOUT]`: the rooms of a folder, as its imports make them.
import { root } from '../../tools/setup/paths.mjs';
import { drawing, floorsOf, graphWithin, importGraph, readSources, roomArrows } from './import-graph.js';

const [folder, checkout = root] = process.argv.slice(2);
if (folder === undefined) {
  console.error(
    'Usage: npm run rooms -- FOLDER [CHECKOUT]\n\nDraws the imports among the modules in FOLDER, and counts its floors.',
  );
  process.exit(2);
}
const graph = importGraph(readSources(checkout));
const within = graphWithin(graph, folder);
const floors = floorsOf(within);
console.log(drawing(graph, folder));
console.log(`\n${roomArrows(graph, folder).join('\n')}\n`);
for (const [file, floor] of [...floors].sort(([, a], [, b]) => b - a)) console.log(`floor ${floor}  ${file}`);
const arrows = [...within.values()].reduce((sum, targets) => sum + targets.size, 0);
console.log(`\n${within.size} modules, ${arrows} arrows, ${Math.max(0, ...floors.values())} floors`);
