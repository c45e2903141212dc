import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tools/setup/paths.mjs';
import { say, UserError } from '../../tools/setup/process.mjs';
import { barLine, type Bar } from '../sim/report/bar.js';
import { constantRate } from './abr/constant-rate.js';
import { paperTraces } from './abr/paper-traces.js';
import { peer } from './abr/peer.js';
import type { Section } from './abr/section.js';
import { speed } from './abr/speed.js';
import { threeG } from './abr/three-g.js';

export const usage = `npm run bench -- abr [--json] [--quick] [--only PART,…]: the bitrate rules in simulation, against each other, the thesis,
Sabre and the offline optimum; minutes. --quick: fewer traces and starts. --only: some parts (speed, constantRate, peer, threeG,
paperTraces). --json: one object on standard output. Exit code 1 where a bar is missed.`;

const flag = { type: 'boolean', default: false } as const;

export const options = { json: flag, quick: flag, only: { type: 'string' } } as const;

/** Data that does not come with the project; what needs it is skipped where it is absent. */
const SHARED = join(root, '..', 'shared', 'data');

/** Measures and prints. Throws a `UserError` for a part that it does not know. */
export async function main({ json, quick, only }: { json: boolean; quick: boolean; only?: string }): Promise<Bar[]> {
  const scale = quick ? 'quick' : 'full';
  const steps: Record<string, { readonly needs: readonly string[]; readonly run: () => Promise<Section> | Section }> = {
    speed: { needs: [], run: speed },
    constantRate: { needs: [], run: constantRate },
    peer: {
      needs: ['traces/norway-3g', 'reference/sabre-86x3g-cbr.csv'],
      run: () => peer(at('traces/norway-3g'), at('reference/sabre-86x3g-cbr.csv')),
    },
    threeG: { needs: ['traces/norway-3g'], run: () => threeG(at('traces/norway-3g'), scale) },
    paperTraces: { needs: ['traces/voxel'], run: () => paperTraces(at('traces/voxel'), scale) },
  };
  const names = only?.split(',') ?? Object.keys(steps);
  const unknown = names.find((name) => !Object.hasOwn(steps, name));
  if (unknown !== undefined)
    throw new UserError(`--only must be a list of ${Object.keys(steps).join(', ')}, got '${unknown}'`);
  const sections: Record<string, Section> = {};
  for (const name of names) {
    const { needs, run } = steps[name]!;
    const missing = needs.find((path) => !existsSync(at(path)));
    if (missing) {
      say(`${name}: skipped, there is no ${at(missing)}`);
      continue;
    }
    sections[name] = await run();
    if (!json) print(sections[name]);
  }
  const bars = Object.values(sections).flatMap((section) => section.bars);
  if (json) console.log(JSON.stringify({ scale, ...dataOf(sections), bars }));
  return bars;
}

function at(path: string): string {
  return join(SHARED, path);
}

function print({ title, text, bars }: Section): void {
  console.log(`\n## ${title}\n\n${text}\n\n${bars.map(barLine).join('\n')}`);
}

function dataOf(sections: Record<string, Section>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(sections).map(([name, { data }]) => [name, data]));
}
