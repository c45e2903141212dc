import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';
import { GENERATORS, type GeneratorName } from './trace-generators.js';
import type { Trace } from './trace.js';

/** Recordings do not come with the project (test/README.md); a set is without them where they are absent. */
const RECORDINGS = join(root, '..', 'shared', 'data', 'traces');

/** What a set takes of a source: a generator's links of one seed, or recordings of a folder. */
type Source =
  | { readonly generator: GeneratorName; readonly seed: number }
  | { readonly folder: string; readonly takes?: (name: string, index: number) => boolean };

const GENERATED = Object.keys(GENERATORS) as readonly GeneratorName[];

/** Recordings of the Mahimahi folder of which the paper's five traces are no part. */
const OTHER_THAN_THE_PAPERS = ['ATT-LTE-driving-2016', 'TMobile-UMTS-driving', 'Verizon-EVDO-driving'];

/**
 * What rules are tuned and trained on, and what is reported of them: no recording is in both, and generated links have other
 * seeds. Nothing may be chosen by its figures on `report`.
 */
const SETS = {
  development: [
    ...GENERATED.map((generator) => ({ generator, seed: 1 })),
    { folder: 'mahimahi-lte', takes: (name) => OTHER_THAN_THE_PAPERS.includes(name) },
    { folder: 'belgium-4g', takes: (_, index) => index % 2 === 1 },
  ],
  report: [
    ...GENERATED.map((generator) => ({ generator, seed: 7 })),
    { folder: 'norway-3g' },
    { folder: 'voxel', takes: (name) => !name.startsWith('3G-') }, // That one is among Norway's.
    { folder: 'belgium-4g', takes: (_, index) => index % 2 === 0 },
  ],
} as const satisfies Record<string, readonly Source[]>;

export type TraceSet = keyof typeof SETS;

export const TRACE_SETS = Object.keys(SETS) as readonly TraceSet[];

/** Names tell sources apart: `FOLDER/NAME`, or a generator's link and its seed. `read`: of the folders' files. */
export function traceSet(name: TraceSet, read: (folder: string) => readonly Trace[]): Trace[] {
  return (SETS[name] as readonly Source[]).flatMap((source) => tracesOf(source, read));
}

function tracesOf(source: Source, read: (folder: string) => readonly Trace[]): Trace[] {
  if ('generator' in source) {
    const { generator, seed } = source;
    return GENERATORS[generator](seed).map((trace) => ({ ...trace, name: `${trace.name}/${seed}` }));
  }
  const { folder, takes = () => true } = source;
  const path = join(RECORDINGS, folder);
  if (!existsSync(path)) return [];
  return read(path)
    .filter((trace, index) => takes(trace.name, index))
    .map((trace) => ({ ...trace, name: `${folder}/${trace.name}` }));
}
