import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../setup/paths.mjs';

interface Document {
  readonly bomFormat: string;
  readonly components: readonly {
    readonly purl: string;
    readonly scope?: string;
    readonly hashes?: readonly unknown[];
  }[];
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('npm run sbom', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'voxel-sbom-'));
    execFileSync(process.execPath, [join(root, 'tools/sbom.mjs'), '--out', folder]);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  const componentsOf = (name: string) => {
    const document = JSON.parse(readFileSync(join(folder, `${name}.cdx.json`), 'utf8')) as Document;
    expect(document.bomFormat).toBe('CycloneDX');
    return document.components;
  };

  it('names every locked Node package', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { name?: string; version: string; link?: boolean }>;
    };
    const locked = Object.entries(packages)
      .filter(([path]) => path !== '')
      .map(
        ([path, { name, version }]) =>
          `pkg:npm/${(name ?? path.split('node_modules/').at(-1)!).replace('@', '%40')}@${version}`,
      );
    const purls = new Set(componentsOf('npm').map(({ purl }) => purl));
    expect(locked.length).toBeGreaterThan(100);
    expect(locked.filter((purl) => !purls.has(purl))).toEqual([]);
  });

  it('names every locked Python package with the hashes of its files, and marks what is not shipped', () => {
    const components = componentsOf('python');
    for (const name of ['run', 'tests', 'fuzzing', 'tools']) {
      const lines = read(`requirements/${name}.txt`).split('\n');
      const locked = lines
        .filter((line) => line.includes('==') && !line.startsWith('#'))
        .map((line) => line.split(/ [\\;]/)[0]!);
      expect(locked.length).toBeGreaterThan(0);
      const found = components.filter(({ purl }) => locked.includes(purl.replace('pkg:pypi/', '').replace('@', '==')));
      expect(found).toHaveLength(locked.length);
      if (name === 'run') expect(found.every(({ scope }) => scope === undefined)).toBe(true);
    }
    expect(components.every(({ hashes }) => (hashes?.length ?? 0) > 0)).toBe(true);
    expect(components.find(({ purl }) => purl.startsWith('pkg:pypi/pytest@'))?.scope).toBe('excluded');
  });

  it('names every locked Rust package', () => {
    const entries = read('server/quiche/Cargo.lock').matchAll(/^name = "(.+)"\nversion = "(.+)"$/gm);
    const locked = [...entries].map(([, name, version]) => `pkg:cargo/${name}@${version}`);
    expect(locked.length).toBeGreaterThan(50);
    expect(componentsOf('rust').map(({ purl }) => purl)).toEqual(locked);
  });
});
