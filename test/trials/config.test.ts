import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig, readConfig } from './config.js';
import { tracesOf } from './traces.js';

const LEAST = { title: 'a matrix', traces: ['constant:4'], buffers: [2], systems: ['voxel', 'bola'] };

function parse(changes: object) {
  return parseConfig(JSON.stringify({ ...LEAST, ...changes }), '/configs/test.json');
}

describe('parseConfig', () => {
  it("has the thesis' path and the sample for what is left out", () => {
    const config = parse({});
    expect(config.path).toEqual({
      delayMs: 15,
      queue: { discipline: 'drop-tail', limit: { packets: 32 } },
      lossPercent: 0,
      upMbps: 100,
    });
    expect(config.videos).toMatchObject([{ file: undefined }]);
    expect(config).toMatchObject({ baseline: 'voxel', shifts: 1, repetitions: 1 });
  });

  it('takes files relative to itself, and generators and formulas as they are', () => {
    const { traces, videos } = parse({
      traces: ['../t.csv', '3g-like:2', { source: 'step:4,2@10', meanMbps: 3 }],
      videos: ['../v.mp4', 'sample'],
    });
    expect(traces.map(({ source }) => source)).toEqual(['/t.csv', '3g-like:2', 'step:4,2@10']);
    expect(videos.map(({ file }) => file)).toEqual(['/v.mp4', undefined]);
  });

  it.each([
    [{ buffers: [] }, 'test.json: buffers must be a list of whole numbers from 1 to 100, none twice, got []'],
    [{ buffers: [1.5] }, 'buffers must be a list of whole numbers'],
    [{ buffers: [1, 1] }, 'none twice, got [1,1]'],
    [{ systems: ['voxel', 'voxel'] }, 'systems must be a list of strings, none twice'],
    [{ systems: 'voxel' }, 'systems must be a list of strings'],
    [{ traces: [] }, 'traces must be a list with at least one entry, got []'],
    [{ traces: [4] }, 'traces must be a list of strings and objects, got [4]'],
    [{ traces: [{ from: 'x' }] }, 'traces[0]: source is required: a string'],
    [{ traces: [{ source: 'constant:1', mean: 4 }] }, "traces[0]: unknown field 'mean'"],
    [{ shifts: 0 }, 'shifts must be a number from 1'],
    [{ repetitions: 1.5 }, 'repetitions must be a whole number, got 1.5'],
    [{ path: { delayMs: '15' } }, 'path: delayMs must be a number from 0'],
    [{ path: { queue: 32 } }, 'path: queue must be an object, got 32'],
    [{ path: { delay: 15 } }, "path: unknown field 'delay'"],
    [{ crossTraffic: [{ webMbps: -1 }] }, 'crossTraffic[0]: webMbps must be a number from 0'],
    [{ videos: [{ otherwise: 'nothing' }] }, 'videos[0]: otherwise must be one of sample'],
    [{ baseline: 'mpc@streams' }, "baseline must be one of the systems, got 'mpc@streams'"],
    [{ colour: 'red' }, "test.json: unknown field 'colour'"],
  ])('refuses %j in one line', (changes, message) => {
    expect(() => parse(changes)).toThrow(message);
    expect(() => parse(changes)).toThrow(/^[^\n]*$/);
  });

  it.each(['', '[]', 'null', '{', '4'])("refuses '%s'", (text) => {
    expect(() => parseConfig(text, '/configs/test.json')).toThrow(/^\/configs\/test\.json: /);
  });

  it('refuses a file that is not there', () => {
    expect(() => readConfig('/nowhere/test.json')).toThrow('cannot read /nowhere/test.json');
  });
});

const FOLDER = join(import.meta.dirname, 'configs');

/** Seconds of a trial: a minute of video, 30 s for the programs, scoring and stalls. */
const TRIAL_SECONDS = 90;
const HOUR = 3600;

describe.each(readdirSync(FOLDER))('configs/%s', (name) => {
  const config = readConfig(join(FOLDER, name));

  it('runs on machines without recordings', () => {
    const standIns = config.traces.map(({ source, otherwise, ...spec }) => ({
      ...spec,
      source: otherwise ?? source,
      otherwise: undefined,
    }));
    expect(() => tracesOf({ ...config, traces: standIns })).not.toThrow();
    for (const { file, otherwise } of config.videos) expect(file === undefined || otherwise === 'sample').toBe(true);
  });

  it.runIf(name.endsWith('-small.json'))('ends within an hour', () => {
    const traces = tracesOf({
      ...config,
      traces: config.traces.map((spec) => ({ ...spec, source: spec.otherwise ?? spec.source })),
    });
    const { videos, crossTraffic, buffers, systems, shifts, repetitions } = config;
    const lists = [videos, traces, crossTraffic, buffers, systems];
    const trials = lists.reduce((product, list) => product * list.length, shifts * repetitions);
    expect(trials * TRIAL_SECONDS).toBeLessThanOrEqual(HOUR);
  });
});
