import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../tools/setup/paths.mjs';
import { readConfig } from '../../trials/config.js';
import type { Trial } from '../../trials/plan.js';
import { alternating, chosen, sessionsOf, startsOnly } from './plan.js';

const trial = (shift: number, system: string) => ({ shift, repetition: 0, system: { name: system } }) as Trial;

it('lets the two that are compared take turns', () => {
  const trials = [0, 1, 2].flatMap((shift) => ['voxel', 'dynamic'].map((system) => trial(shift, system)));
  expect(alternating(trials).map(({ shift, system }) => `${shift} ${system.name}`)).toEqual([
    ...['0 voxel', '0 dynamic', '1 dynamic', '1 voxel'],
    ...['2 voxel', '2 dynamic'],
  ]);
});

it('chooses by names, all without any, and names what there is', () => {
  expect(chosen('links', undefined, ['60 ms', '3G'])).toEqual(['60 ms', '3G']);
  expect(chosen('links', '3G, 60 ms', ['60 ms', '3G'])).toEqual(['3G', '60 ms']);
  expect(() => chosen('codecs', 'h264,vp9', ['h264', 'av1'])).toThrow("--codecs must be of 'h264', 'av1', got 'vp9'");
});

it('needs a fifth of the sessions where each has twenty jumps', () => {
  expect([1, 5, 20, 21].map((pairs) => sessionsOf('seek', pairs))).toEqual([1, 1, 4, 5]);
  expect(sessionsOf('start', 20)).toBe(20);
});

it('plays the same videos over the same links in both kinds of sessions, two systems beside each other', () => {
  const [watching, jumping] = ['first-picture', 'first-picture-seeks'].map((name) =>
    readConfig(join(root, `lab/trials/configs/${name}.json`)),
  );
  const plain = ({ paths, videos, traces, systems, baseline, shifts }: NonNullable<typeof watching>) => ({
    paths: paths.map((path) => ({ ...path, outages: undefined })),
    ...{ videos, traces, systems, baseline, shifts },
  });
  expect(plain(jumping!)).toEqual(plain(watching!));
  expect(watching!.systems).toHaveLength(2);
  for (const { outages } of watching!.paths) expect(outages).toHaveLength(1);
  expect(jumping!.viewer).toEqual({ seconds: undefined, seeks: 20 });
});

it('measures starts alone over the same links without outages, and leaves after the first ten seconds', () => {
  const config = readConfig(join(root, 'lab/trials/configs/first-picture.json'));
  const { paths, links, viewer, ...others } = startsOnly(config);
  expect(others).toEqual(Object.fromEntries(Object.entries(config).filter(([name]) => name in others)));
  expect(paths.map(({ name }) => name)).toEqual(config.paths.map(({ name }) => name));
  for (const path of [...paths, ...links!.map((link) => link.path)]) expect(path).not.toHaveProperty('outages');
  expect(viewer).toEqual({ seconds: 12, seeks: 0 });
});
