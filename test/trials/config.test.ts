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
    [{ buffers: [] }, 'test.json: buffers is a list of whole numbers from 1 to 100'],
    [{ buffers: [1.5] }, 'buffers is a list of whole numbers'],
    [{ buffers: [1, 1] }, 'buffers names something twice'],
    [{ systems: ['voxel', 'voxel'] }, 'systems names something twice'],
    [{ systems: 'voxel' }, 'systems is a list of texts'],
    [{ traces: [] }, 'traces is a list with something in it'],
    [{ traces: [4] }, 'traces has an odd item'],
    [{ traces: [{ from: 'x' }] }, 'traces[0]: source is missing'],
    [{ traces: [{ source: 'constant:1', mean: 4 }] }, "traces[0]: there is no 'mean'"],
    [{ shifts: 0 }, 'shifts is a number from 1'],
    [{ repetitions: 1.5 }, 'repetitions is a whole number'],
    [{ path: { delayMs: '15' } }, 'path: delayMs is a number from 0'],
    [{ path: { queue: 32 } }, 'path: queue is an object'],
    [{ path: { delay: 15 } }, "path: there is no 'delay'"],
    [{ crossTraffic: [{ webMbps: -1 }] }, 'crossTraffic[0]: webMbps is a number from 0'],
    [{ videos: [{ otherwise: 'nothing' }] }, 'videos[0]: otherwise is one of sample'],
    [{ baseline: 'mpc@streams' }, "baseline: 'mpc@streams' is none of the systems"],
    [{ colour: 'red' }, "test.json: there is no 'colour'"],
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
