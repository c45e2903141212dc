import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tools/setup/paths.mjs';
import { readTraces } from '../sim/link/trace-source.js';
import { variabilityOf } from '../sim/link/variability.js';

export const usage = `npm run bench -- variability [--write]: mean and standard deviation of what the thesis' five links carry in a second, Mbit/s (Fig. 6.5), from
../shared/data/traces/voxel (npm run data). --write: into docs/results/variability.json, which docs/EVIDENCE.md is made from.`;

export const options = { write: { type: 'boolean', default: false } } as const;

export function main({ write }: { write: boolean }): void {
  const links = readTraces(join(root, '../shared/data/traces/voxel'), 1).map(variabilityOf);
  for (const { name, seconds, mean, deviation } of links)
    console.log(`${name}: ${seconds} s, ${mean} ± ${deviation} Mbit/s`);
  if (write) writeFileSync(join(root, 'docs/results/variability.json'), `${JSON.stringify(links, null, 2)}\n`);
}
