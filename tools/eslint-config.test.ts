import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, it } from 'vitest';
import { root } from './setup/paths.mjs';

/** The project's configuration without the rules that need types: the planted files are in no project. */
const eslint = new ESLint({
  cwd: root,
  overrideConfig: [
    tseslint.configs.disableTypeChecked,
    { languageOptions: { parserOptions: { project: false, program: null } } },
  ],
});

/** The first file takes a while: plugins and resolver are loaded. */
const TIMEOUT_MS = 60_000;

/** Which import rules complain about a file that imports `specifier`. */
async function complaints(filePath: string, specifier: string): Promise<(string | null)[]> {
  const code = `import * as planted from '${specifier}';\n\nexport const use = planted;\n`;
  const [result] = await eslint.lintText(code, { filePath: `${root}/${filePath}` });
  return result!.messages.map(({ ruleId }) => ruleId);
}

const ZONES = 'import-x/no-restricted-paths';

describe('ESLint complains about', { timeout: TIMEOUT_MS }, () => {
  it.each([
    ['src/manifest/planted.ts', '../repair/index.js'],
    ['src/repair/planted.ts', '../manifest/byte-range.js'],
    ['src/abr-star/planted.ts', '../delivery/index.js'],
    ['src/abr-star/planted.ts', '../voxel-loader/index.js'],
    ['src/abr-star/star/planted.ts', '../rivals/bola.js'],
    ['src/abr-star/rivals/planted.ts', '../star/abr-star.js'],
    ['src/delivery/planted.ts', '../voxel-loader/index.js'],
    ['src/delivery/planted.ts', '../../player/types.js'],
    ['src/voxel-loader/planted.ts', '../abr-star/index.js'],
    ['src/voxel-loader/planted.ts', '../repair/index.js'],
    ['player/planted.ts', '../src/voxel-loader/worker/host.js'],
    ['player/dash/planted.ts', '../../demo/report.js'],
    ['player/segments/planted.ts', '../dash/settings.js'],
    ['player/hls/planted.ts', '../dash/settings.js'],
    ['player/planted.ts', '../tools/setup/paths.mjs'],
    ['src/delivery/planted.ts', '../../lab/sim/random.js'],
    ['tools/setup/planted.mjs', '../../lab/sim/random.js'],
    ['tools/planted.test.ts', '../lab/sim/random.js'],
  ])('%s importing %s', async (file, specifier) => {
    expect(await complaints(file, specifier)).toEqual([ZONES]);
  });

  it('a circle of imports, also among scripts', async () => {
    expect(await complaints('src/manifest/errors.ts', './index-codes.js')).toEqual(['import-x/no-cycle']);
    expect(await complaints('tools/setup/process.mjs', './system-packages.mjs')).toEqual(['import-x/no-cycle']);
  });

  it('nothing where the arrow exists', async () => {
    expect(await complaints('src/delivery/planted.ts', '../abr-star/index.js')).toEqual([]);
    expect(await complaints('src/voxel-loader/worker/planted.ts', '../../repair/index.js')).toEqual([]);
    expect(await complaints('player/planted.ts', '../src/delivery/index.js')).toEqual([]);
    expect(await complaints('lab/sim/planted.ts', '../../tools/setup/paths.mjs')).toEqual([]);
    expect(await complaints('src/manifest/planted.test.ts', '../../test/unit/index-vectors.js')).toEqual([]);
  });
});
