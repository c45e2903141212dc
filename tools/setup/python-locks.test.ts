import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './paths.mjs';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Exact versions of a lock file; the same package may have several, for different versions of Python. */
const locked = (file: string) =>
  [...read(`requirements/${file}.txt`).matchAll(/^([a-z0-9-]+)==([^ ]+)/gm)].map(
    ([, name, version]) => `${name}==${version}`,
  );

const pinned = (file: string) =>
  read(`requirements/${file}.in`)
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));

/** What a pyproject.toml asks for: dependencies, those of extras, and of the build. */
const required = (folder: string) =>
  [...read(`${folder}/pyproject.toml`).matchAll(/"([a-z0-9-]+==[^"]+)"/g)].map(([, requirement]) => requirement!);

describe('Python lock files', () => {
  it.each([
    ['run', [...pinned('run')]],
    ['tests', [...pinned('run'), ...pinned('tests'), ...required('manifests'), ...required('server/aioquic')]],
    ['serve', required('server/aioquic').filter((pin) => !pin.startsWith('hatchling'))],
    ['prepare', required('manifests').filter((pin) => !/^(hatchling|distributed|matplotlib)/.test(pin))],
    ['build', pinned('run')],
    ['fuzzing', pinned('fuzzing')],
    ['tools', pinned('tools')],
  ])('requirements/%s.txt has every direct pin (else: npm run lock)', (file, pins) => {
    expect(pins.length).toBeGreaterThan(0);
    expect(pins.every((pin) => /^[a-z0-9-]+==[0-9.]+$/.test(pin))).toBe(true);
    expect(pins.filter((pin) => !locked(file).includes(pin))).toEqual([]);
  });

  it('agree with each other: what runs is what is tested', () => {
    expect(locked('run').filter((pin) => !locked('tests').includes(pin))).toEqual([]);
    for (const image of ['serve', 'prepare', 'build']) {
      expect(locked(image).filter((pin) => !locked('run').includes(pin))).toEqual([]);
    }
  });

  it.each(['run', 'tests', 'serve', 'prepare', 'build', 'fuzzing', 'tools'])(
    'requirements/%s.txt has hashes for all, and names no registry',
    (file) => {
      const text = read(`requirements/${file}.txt`);
      const entries = text.split(/^(?=[a-z0-9-]+==)/m).slice(1);
      expect(entries.filter((entry) => !/--hash=sha256:[0-9a-f]{64}/.test(entry))).toEqual([]);
      expect(text).not.toMatch(/https?:|index-url/);
    },
  );
});
