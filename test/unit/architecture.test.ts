import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../tools/setup/paths.mjs';
import {
  circles,
  drawing,
  floorsOf,
  forbiddenImports,
  graphWithin,
  importGraph,
  isForTests,
  isIn,
  readSources,
} from './import-graph.js';
import { ARROWS, ZONES } from './zones.js';

const sources = readSources(root);
const graph = importGraph(sources);

/** The graph with one more import, of `specifier` in `file`. */
function planted(file: string, specifier: string) {
  const text = `${sources.get(file) ?? ''}\nimport { planted } from '${specifier}';\n`;
  return importGraph(new Map([...sources, [file, text]]));
}

describe('imports', () => {
  it('point where zones.ts lets them', () => {
    expect(forbiddenImports(graph, ZONES)).toEqual([]);
  });

  it.each([
    ['src/manifest/planted.ts', '../repair/index.js'],
    ['src/repair/planted.ts', '../manifest/byte-range.js'],
    ['src/repair/public.ts', './h264/codec.js'],
    ['src/repair/vp9/planted.ts', '../h264/bits.js'],
    ['lab/planted.ts', '../src/repair/h264/slice-header.js'],
    ['src/abr-star/planted.ts', '../delivery/index.js'],
    ['src/abr-star/planted.ts', '../voxel-loader/index.js'],
    ['src/abr-star/star/planted.ts', '../live/abr-live.js'],
    ['src/abr-star/star/planted.ts', '../../../lab/rivals/bola.js'],
    ['player/live/planted.ts', '../../lab/index.js'],
    ['demo/planted.ts', '../lab/sim/random.js'],
    ['lab/sim/planted.ts', '../trials/config.js'],
    ['lab/rivals/planted.ts', '../strategies/strategies.js'],
    ['src/delivery/planted.ts', '../voxel-loader/index.js'],
    ['src/delivery/planted.ts', '../../player/api/types.js'],
    ['src/voxel-loader/planted.ts', '../abr-star/index.js'],
    ['src/voxel-loader/planted.ts', '../repair/index.js'],
    ['player/planted.ts', '../src/voxel-loader/worker/host.js'],
    ['player/dash/planted.ts', '../../demo/report.js'],
    ['player/segments/planted.ts', '../dash/settings.js'],
    ['player/hls/planted.ts', '../dash/settings.js'],
    ['player/dash/planted.ts', '../plugin/plugin.js'],
    ['player/segments/planted.ts', '../attach.js'],
    ['player/network/planted.ts', '../segments/record/journal.js'],
    ['player/segments/choose/planted.ts', '../record/journal.js'],
    ['player/segments/record/planted.ts', '../fetch/attempt.js'],
    ['player/segments/fetch/planted.ts', '../wiring.js'],
    ['player/planted.ts', '../tools/setup/paths.mjs'],
    ['src/delivery/planted.ts', '../../lab/sim/random.js'],
    ['tools/setup/planted.mjs', '../../lab/sim/random.js'],
    ['tools/planted.test.ts', '../lab/sim/random.js'],
  ])('from %s of %s are refused', (file, specifier) => {
    expect(forbiddenImports(planted(file, specifier), ZONES)).toEqual([expect.stringContaining(`${file} imports `)]);
  });

  it.each([
    ['src/delivery/planted.ts', '../abr-star/index.js'],
    ['src/voxel-loader/worker/planted.ts', '../../repair/index.js'],
    ['src/repair/codecs.ts', './h264/bits.js'],
    ['src/repair/planted.test.ts', './h264/bits.js'],
    ['player/planted.ts', '../src/delivery/index.js'],
    ['lab/sim/planted.ts', '../../tools/setup/paths.mjs'],
    ['src/manifest/planted.test.ts', '../../test/unit/index-vectors.js'],
  ])('from %s of %s are not', (file, specifier) => {
    expect(forbiddenImports(planted(file, specifier), ZONES)).toEqual([]);
  });

  it('are in no circle, types included', () => {
    expect(circles(graph)).toEqual([]);
  });

  it.each([
    ['src/manifest/errors.ts', './index-codes.js', ['src/manifest/errors.ts', 'src/manifest/index-codes.ts']],
    [
      'tools/setup/process.mjs',
      './system-packages.mjs',
      ['tools/setup/process.mjs', 'tools/setup/system-packages.mjs'],
    ],
    ['tools/setup/paths.mjs', './paths.mjs', ['tools/setup/paths.mjs']],
  ])('from %s of %s close a circle that is found', (file, specifier, members) => {
    expect(circles(planted(file, specifier))).toEqual([expect.arrayContaining(members)]);
  });

  it('are limited for folders that exist', () => {
    const named = ZONES.flatMap(({ folder, never, but = [] }) => [folder, ...never, ...but]);
    const empty = [...new Set(named)].filter((place) => ![...graph.keys()].some((file) => isIn(file, [place])));
    expect(empty).toEqual([]);
  });
});

describe('player/segments', () => {
  it('has five floors at most', () => {
    const floors = floorsOf(graphWithin(graph, 'player/segments'));
    expect(Math.max(...floors.values())).toBeLessThanOrEqual(5);
  });

  it('is drawn in its README with every import, and no other', async () => {
    const path = join(root, 'player/segments/README.md');
    const drawn = readFileSync(path, 'utf8').replace(
      /(```mermaid\n)[^`]*/,
      (_, head: string) => `${head}${drawing(graph, 'player/segments')}\n`,
    );
    // `npx vitest run --project unit test/unit/architecture.test.ts -u` draws it anew.
    await expect(drawn).toMatchFileSnapshot(path);
  });
});

describe('ARCHITECTURE.md', () => {
  /** The parts it draws: a file belongs to the first of these folders that holds it. */
  const PARTS = ['player/element', 'lab/sim', 'lab/rivals', 'lab/strategies', ...Object.keys(ARROWS)];

  const partOf = (file: string) => PARTS.find((part) => isIn(file, [part]));
  const nodeOf = (part: string) => `${part.replaceAll(/\W/g, '-')}[${part}/]`;

  /** `from --> to` of every part that imports another, types included, tests and what they use aside. */
  function arrows(): string[] {
    const files = [...graph].filter(([file]) => file.endsWith('.ts') && !isForTests(file));
    const lines = files.flatMap(([file, targets]) =>
      [...targets].flatMap((target) => {
        const [from, to] = [partOf(file), partOf(target)];
        return from === undefined || to === undefined || from === to ? [] : [`  ${nodeOf(from)} --> ${nodeOf(to)}`];
      }),
    );
    return [...new Set(lines)].sort();
  }

  it('draws every import between the parts, and no other', async () => {
    const path = join(root, 'ARCHITECTURE.md');
    const drawn = readFileSync(path, 'utf8').replace(
      /(```mermaid\ngraph TD\n)[^`]*/,
      (_, head: string) => `${head}${arrows().join('\n')}\n`,
    );
    // `npx vitest run --project unit test/unit/architecture.test.ts -u` draws it anew.
    await expect(drawn).toMatchFileSnapshot(path);
  });
});
