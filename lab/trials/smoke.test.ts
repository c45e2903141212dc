import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig, readConfig, type TrialsConfig } from './config.js';
import { hasOutages } from './path.js';
import { parseOptions, type TrialsOptions } from './options.js';
import type { TrialResult } from './result.js';
import { factsOf, failuresOf, onlySystems, smoke, smokeConfigs } from './smoke.js';

const FOLDER = join(import.meta.dirname, 'configs');

const config = (changes: object) =>
  parseConfig(
    JSON.stringify({ title: 'T', traces: ['constant:4'], buffers: [2, 3], systems: ['voxel', 'bola'], ...changes }),
    '/configs/test.json',
  );

/** Facts of all that is played, each as often as it is shown. */
const factsIn = (configs: readonly TrialsConfig[]) =>
  configs.flatMap((config) =>
    config.servers.flatMap((server) =>
      config.controls.flatMap((control) =>
        config.systems.flatMap((system) => factsOf(system, { config, server, control })),
      ),
    ),
  );

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
  const configs = readdirSync(FOLDER).map((name) => readConfig(join(FOLDER, name)));

  it('shows every fact of all configurations, and plays nothing without which it would', () => {
    const played = smokeConfigs(configs, 'a cover');
    const facts = factsIn(played);
    expect(new Set(facts)).toEqual(new Set(factsIn(configs)));
    const once = new Set(facts.filter((fact) => facts.indexOf(fact) === facts.lastIndexOf(fact)));
    for (const config of played)
      for (const system of config.systems) {
        const own = factsIn([{ ...config, systems: [system] }]);
        expect(own.some((fact) => once.has(fact))).toBe(true);
      }
  });

  it('plays each system on each server and kind of path where that is asked for', () => {
    const places = (some: readonly TrialsConfig[]) =>
      new Set(
        some.flatMap(({ servers, systems, paths: [path], live, viewer }) => {
          const kind = [live ? 'live' : '', path!.bundle ? 'bundle' : '', hasOutages(path!) ? 'outages' : ''];
          const of = [...kind, viewer?.seeks ? 'seeks' : ''].join(' ');
          return servers.flatMap((server) => systems.map(({ name }) => `${name} ${server} ${of}`));
        }),
      );
    const every = smokeConfigs(configs, 'every system');
    expect(places(every)).toEqual(places(configs));
    expect(new Set(factsIn(every))).toEqual(new Set(factsIn(configs)));
  });

  it('knows a rule, a way, a server and a control, and that they are the same elsewhere', () => {
    const both = { servers: ['aioquic', 'quiche'], systems: ['voxel', 'bola@streams'] };
    const namesOf = (some: TrialsConfig[]) =>
      some.map(({ servers, systems }) => [servers[0], systems.map(({ name }) => name)]);
    expect(namesOf(smokeConfigs([config(both)], 'a cover'))).toEqual([
      ['aioquic', ['voxel', 'bola@streams']],
      ['quiche', ['voxel', 'bola@streams']],
    ]);
    const rival = config({ servers: ['quiche'], systems: ['voxel', 'tput@streams', 'bola@datagrams'] });
    expect(namesOf(smokeConfigs([config(both), rival], 'a cover'))).toEqual([
      ['aioquic', ['voxel', 'bola@streams']],
      ['quiche', ['voxel']],
      ['quiche', ['tput@streams']],
    ]);
  });

  it('plays little, and nothing that has to be there', () => {
    const [short] = smokeConfigs(
      [
        config({
          traces: [{ source: '/nowhere/link.csv', otherwise: 'lte-like:2' }, 'constant:9'],
          videos: [{ file: '/nowhere/film.mp4', otherwise: 'sample', segment: 2, start: 60, duration: 300 }],
          ...{ shifts: 5, repetitions: 3, paths: [{}, { delayMs: 50 }] },
        }),
      ],
      'a cover',
    );
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
  const [, second] = smokeConfigs([config({ systems }), bundled], 'a cover');
  expect(second!.paths[0]!.bundle![1]!.trace).toEqual({ source: 'lte-like:2', otherwise: undefined });
  expect(second!.crossTraffic).toMatchObject([{ timedFlows: [{ flows: 1, start: 5, stop: 7.5 }] }]);
});

it('plays systems over paths with outages, too, within its ten seconds', () => {
  const bundle = [{ name: 'a', outages: [{ start: 60, stop: 90 }] }, { name: 'b' }];
  const paths = [{ bundle }];
  const configs = [{ bundle: [{ name: 'a' }, { name: 'b' }] }, paths[0]].map((path) =>
    config({ systems: ['voxel'], paths: [path], videos: [{ duration: 120 }] }),
  );
  const [, second] = smokeConfigs(configs, 'a cover');
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
