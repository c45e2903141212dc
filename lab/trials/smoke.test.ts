import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig, readConfig, type TrialsConfig } from './config.js';
import { hasOutages } from './path.js';
import { parseOptions, type TrialsOptions } from './options.js';
import type { TrialResult } from './result.js';
import { failuresOf, onlySystems, smoke, smokeConfigs } from './smoke.js';

const FOLDER = join(import.meta.dirname, 'configs');

const config = (changes: object) =>
  parseConfig(
    JSON.stringify({ title: 'T', traces: ['constant:4'], buffers: [2, 3], systems: ['voxel', 'bola'], ...changes }),
    '/configs/test.json',
  );

/** What a system may travel otherwise over. */
const kindOf = ({ paths: [path], live, viewer }: Pick<TrialsConfig, 'paths' | 'live' | 'viewer'>) => [
  ...(live ? ['live'] : []),
  ...(path!.bundle ? ['bundle'] : []),
  ...(hasOutages(path!) ? ['outages'] : []),
  ...(viewer?.seeks ? ['seeks'] : []),
];

/** Each system on each server and kind of path, and each server's controls there. */
const combinations = (configs: readonly TrialsConfig[]) => {
  const all = configs.flatMap(({ systems, servers, controls, ...rest }) =>
    servers.flatMap((server) => {
      const place = [server, ...kindOf(rest)].join(' ');
      return [...systems.map(({ name }) => `${name}, ${place}`), ...controls.map((name) => `${name} of ${place}`)];
    }),
  );
  return [...new Set(all)].sort();
};

it('--smoke leaves the results of an earlier run alone', async () => {
  const out = mkdtempSync(join(tmpdir(), 'voxel-smoke-'));
  const [results, other] = [join(out, 'trials.jsonl'), join(out, 'notes.txt')];
  for (const file of [results, other]) writeFileSync(file, '{}\n');
  const options = parseOptions(['--smoke', '--out', out]) as TrialsOptions;
  await expect(smoke(options, new AbortController().signal)).rejects.toThrow('holds results of an earlier run');
  expect([results, other].map((file) => readFileSync(file, 'utf8'))).toEqual(['{}\n', '{}\n']);
  rmSync(out, { recursive: true });
});

it('--only leaves the other systems out, and names none in vain', () => {
  const configs = [config({ systems: ['voxel', 'bola'] }), config({ systems: ['bola'] })];
  const namesOf = (left: TrialsConfig[]) => left.map(({ systems }) => systems.map(({ name }) => name));
  const [[voxel]] = namesOf(configs) as [[string]];
  expect(namesOf(onlySystems(configs, [voxel]))).toEqual([[voxel]]);
  expect(onlySystems(configs, undefined)).toHaveLength(2);
  expect(() => onlySystems(configs, ['none'])).toThrow('--only names none of the systems: got none');
});

describe('smokeConfigs', () => {
  it('has every system, server and control of all configurations, and no more than that takes', () => {
    const configs = readdirSync(FOLDER).map((name) => readConfig(join(FOLDER, name)));
    const played = smokeConfigs(configs);
    expect(combinations(played)).toEqual(combinations(configs));
    // Each of them has something that none before it has.
    const known = played.map((_, index) => combinations(played.slice(0, index + 1)).length);
    expect(new Set(known).size).toBe(played.length);
  });

  it('plays little, and nothing that has to be there', () => {
    const [short] = smokeConfigs([
      config({
        traces: [{ source: '/nowhere/link.csv', otherwise: 'lte-like:2' }, 'constant:9'],
        videos: [{ file: '/nowhere/film.mp4', otherwise: 'sample', segment: 2, start: 60, duration: 300 }],
        ...{ shifts: 5, repetitions: 3, paths: [{}, { delayMs: 50 }] },
      }),
    ]);
    expect(short).toMatchObject({
      videos: [{ file: undefined, start: undefined, duration: 10, segment: 2 }],
      traces: [{ source: 'lte-like:2', otherwise: undefined }],
      ...{ shifts: 1, repetitions: 1, buffers: [2] },
    });
    expect(short!.paths).toHaveLength(1);
  });
});

it('plays systems in a bundle, too, and other traffic within its ten seconds', () => {
  const bundle = [{ name: 'a' }, { name: 'b', trace: { source: '/nowhere/link.csv', otherwise: 'lte-like:2' } }];
  const crossTraffic = [{ timedFlows: [{ start: 60, stop: 90 }] }];
  const systems = ['bola'];
  const bundled = config({ systems, crossTraffic, paths: [{ bundle }], videos: [{ duration: 120 }] });
  const [, second] = smokeConfigs([config({ systems }), bundled]);
  expect(second!.paths[0]!.bundle![1]!.trace).toEqual({ source: 'lte-like:2', otherwise: undefined });
  expect(second!.crossTraffic).toMatchObject([{ timedFlows: [{ flows: 1, start: 5, stop: 7.5 }] }]);
});

it('plays systems over paths with outages, too, within its ten seconds', () => {
  const bundle = [{ name: 'a', outages: [{ start: 60, stop: 90 }] }, { name: 'b' }];
  const paths = [{ bundle }];
  const configs = [{ bundle: [{ name: 'a' }, { name: 'b' }] }, paths[0]].map((path) =>
    config({ systems: ['voxel'], paths: [path], videos: [{ duration: 120 }] }),
  );
  const [, second] = smokeConfigs(configs);
  expect(second!.paths[0]!.bundle!.map(({ outages }) => outages)).toEqual([[{ start: 5, stop: 7.5 }], undefined]);
});

describe('failuresOf', () => {
  const result = (changes: Partial<TrialResult>) =>
    failuresOf({
      label: 'VOXEL',
      system: 'voxel',
      server: 'aioquic',
      control: 'cubic',
      problems: [],
      ...changes,
    } as TrialResult);

  it('names what did not play as its system says, and no slow machine', () => {
    expect(result({ outcome: 'ended', problems: ['timers were 80 ms late'] })).toEqual([]);
    expect(result({ outcome: 'ended', problems: ['nothing came over datagrams'] })).toEqual([
      'VOXEL, aioquic with cubic: nothing came over datagrams',
    ]);
    expect(result({ outcome: 'hopeless' })).toHaveLength(1);
    const paths = [1000, 0].map((bytes, index) => ({ name: 'ab'[index]!, bytes, share: 0 }));
    expect(result({ paths })).toEqual(['VOXEL, aioquic with cubic: nothing came over b']);
    for (const system of ['bola', 'voxel:a']) expect(result({ paths, system })).toEqual([]);
  });
});

describe('parseOptions', () => {
  it('has all configurations for --smoke alone', () => {
    expect(parseOptions(['--smoke'])).toMatchObject({ mode: 'smoke', config: undefined, out: 'output/trials/smoke' });
    expect(parseOptions(['x.json', '--smoke'])).toMatchObject({ mode: 'smoke', config: 'x.json' });
    expect(parseOptions(['--quick'])).toMatchObject({ mode: 'run', config: undefined, out: 'output/trials/quick' });
    expect(() => parseOptions(['--quick', '--smoke'])).toThrow('--quick and --smoke cannot be used together');
    expect(() => parseOptions([])).toThrow('expected one configuration or --quick');
  });
});
