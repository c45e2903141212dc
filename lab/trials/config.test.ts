import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { root } from '../../tools/setup/paths.mjs';
import { parseConfig, readConfig } from './config.js';
import { withStandIns } from './path.js';
import { standIn } from './trace-spec.js';
import { traceOf, tracesOf } from './traces.js';

const LEAST = { title: 'a matrix', traces: ['constant:4'], buffers: [2], systems: ['voxel', 'bola'] };

const BUNDLE = {
  bundle: [
    { name: 'lte', delayMs: 30, loss: { percent: 0.45 } },
    { name: 'wlan', cost: 1, trace: { source: '../t.csv', otherwise: 'constant:9' } },
  ],
};

function parse(changes: object) {
  return parseConfig(JSON.stringify({ ...LEAST, ...changes }), '/configs/test.json');
}

describe('parseConfig', () => {
  it("has the thesis' path and the sample for what is left out", () => {
    const config = parse({});
    expect(config.paths).toEqual([
      {
        ...{ name: '30 ms', delayMs: 15, loss: { percent: 0 }, upMbps: 100 },
        queue: { discipline: 'drop-tail', limit: { packets: 32 } },
      },
    ]);
    expect(config).toMatchObject({ servers: ['aioquic'], controls: ['cubic'] });
    expect(config.videos).toMatchObject([{ file: undefined }]);
    expect(config).toMatchObject({ baseline: 'voxel', shifts: 1, repetitions: 1 });
  });

  it('names paths after round trip and loss where it gives no names', () => {
    const loss = { percent: 1.3 };
    const { paths } = parse({ paths: [{ loss }, { delayMs: 30, loss: { ...loss, meanBurst: 4 } }, { name: 'DSL' }] });
    expect(paths.map(({ name }) => name)).toEqual(['30 ms, 1.3 % loss', '60 ms, 1.3 % loss in bursts of 4', 'DSL']);
  });

  it('takes files relative to itself, and generators and formulas as they are', () => {
    const { traces, videos } = parse({
      traces: ['../t.csv', '3g-like:2', { source: 'step:4,2@10', meanMbps: 3, scale: 0.5 }],
      videos: ['../v.mp4', 'sample'],
    });
    expect(traces.map(({ source }) => source)).toEqual(['/t.csv', '3g-like:2', 'step:4,2@10']);
    expect(videos.map(({ file }) => file)).toEqual(['/v.mp4', undefined]);
  });

  it('has live streams with a latency instead of buffers, and systems that play them', () => {
    const live = { buffers: undefined, systems: ['voxel-live', 'lolp', 'dynamic'] };
    const config = parse({ ...live, live: { latency: 0.5, seconds: 60 } });
    expect(config).toMatchObject({ live: { latency: 0.5, seconds: 60, settling: 30 }, buffers: [0], measures: [] });
    expect(() => parse({ ...live, buffers: [2], live: { latency: 1, seconds: 60 } })).toThrow(
      "unknown field 'buffers'",
    );
    expect(() => parse({ buffers: undefined, live: { latency: 1, seconds: 60 } })).toThrow(
      "the system 'voxel' plays no live streams",
    );
    expect(() => parse({ systems: ['voxel', 'l2a'] })).toThrow("the system 'l2a' plays live streams only");
    expect(() => parse({ ...live, live: { latency: 0 } })).toThrow(
      'live: latency must be a number from 0.2 to 30, got 0',
    );
  });

  it('has links with traces, paths and starts of their own', () => {
    const config = parse({
      traces: undefined,
      links: [
        { name: 'steady', traces: ['constant:4', 'constant:8'] },
        { name: 'lossy', traces: ['constant:4'], shifts: 5, path: { delayMs: 50, loss: { percent: 1 } } },
      ],
    });
    expect(config.traces.map(({ source }) => source)).toEqual(['constant:4', 'constant:8']);
    expect(config.paths.map(({ name }) => name)).toEqual(['30 ms', '100 ms, 1 % loss']);
    expect(config).toMatchObject({ shifts: 5, links: [{ shifts: 1 }, { shifts: 5, path: { delayMs: 50 } }] });
  });

  it('has bundles of paths, each with its own trace where it says so', () => {
    const [path] = parse({ paths: [BUNDLE], systems: ['bola:wlan', 'dynamic'] }).paths;
    expect(path).toMatchObject({ name: 'lte and wlan', delayMs: 30, loss: { percent: 0.45 } });
    expect(path!.bundle).toMatchObject([
      { name: 'lte', delayMs: 30 },
      { name: 'wlan', delayMs: 15, cost: 1, trace: { source: '/t.csv', otherwise: 'constant:9' } },
    ]);
    expect(path!.bundle![0]).not.toHaveProperty('trace');
  });

  it('has paths that carry nothing at times', () => {
    const outages = [{ start: 5, stop: 9 }];
    const [path, single] = parse({ paths: [{ bundle: [{ name: 'a' }, { name: 'b', outages }] }, { outages }] }).paths;
    expect(path!.bundle!.map((one) => one.outages)).toEqual([undefined, outages]);
    expect(single!.outages).toEqual(outages);
  });

  it('has other traffic that comes and goes', () => {
    const timedFlows = [{ start: 10, stop: 20 }];
    const { crossTraffic } = parse({ crossTraffic: [{ bulkFlows: 1, timedFlows }, { bulkFlows: 2 }] });
    expect(crossTraffic).toEqual([
      { bulkFlows: 1, webMbps: 0, timedFlows: [{ flows: 1, start: 10, stop: 20 }] },
      { bulkFlows: 2, webMbps: 0 },
    ]);
  });

  it.each([
    [{ paths: [{ bundle: [{ name: 'a' }] }] }, 'bundle must have 2 to 8 paths, got 1'],
    [{ paths: [{ bundle: [{ name: 'a' }, { name: 'a' }] }] }, "bundle: name must differ, got 'a' twice"],
    [{ paths: [{ bundle: [{ name: 'a b' }, { name: 'c' }] }] }, 'name must consist of letters, digits, - and _'],
    [{ paths: [{ outages: [{ start: 9, stop: 3 }] }] }, 'outages[0]: stop must be a number from 9'],
    [
      { paths: [{ outages: [{ start: 1, stop: 9 }].concat({ start: 5, stop: 20 }) }] },
      'outages[1]: start must be a number from 9',
    ],
    [{ paths: [{ bundle: [{}, {}] }] }, 'bundle[0]: name is required: a string'],
    [{ paths: [{ bundle: [{ name: 'a', trace: 4 }] }] }, 'bundle[0]: trace must be a string or an object, got 4'],
    [{ paths: [{ ...BUNDLE, delayMs: 5 }] }, "paths[0]: unknown field 'delayMs'"],
    [
      { paths: [BUNDLE], systems: ['bola:dsl'] },
      "the system 'bola:dsl' needs a path 'dsl', which 'lte and wlan' has not",
    ],
    [{ systems: ['bola:dsl'] }, "the system 'bola:dsl' needs a path 'dsl', which '30 ms' has not"],
    [{ crossTraffic: [{ timedFlows: [{ start: 9, stop: 3 }] }] }, 'timedFlows[0]: stop must be a number from 9'],
    [{ traces: undefined, links: [{ name: 'a' }] }, 'links[0]: traces is required'],
    [{ links: [{ name: 'a', traces: ['constant:4'] }] }, "test.json: unknown field 'traces'"],
    [{ traces: undefined, links: ['3g'] }, "links must be a list of objects, got '3g'"],
    [
      { traces: undefined, links: ['a', 'a'].map((name) => ({ name, traces: ['constant:4'] })) },
      "links: name must differ, got 'a' twice",
    ],
    [
      {
        traces: undefined,
        links: [{}, { upMbps: 5 }].map((path, i) => ({ name: `${i}`, traces: ['constant:4'], path })),
      },
      "paths: name must differ, got '30 ms' twice",
    ],
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
    [{ paths: [{ delayMs: '15' }] }, 'paths[0]: delayMs must be a number from 0'],
    [{ paths: [{ queue: 32 }] }, 'paths[0]: queue must be an object, got 32'],
    [{ paths: [{ delay: 15 }] }, "paths[0]: unknown field 'delay'"],
    [{ paths: ['dsl'] }, "paths must be a list of objects, got 'dsl'"],
    [{ paths: [{ loss: {} }] }, 'paths[0]: loss: percent is required: a number from 0 to 90'],
    [{ paths: [{ loss: { percent: 1, meanBurst: 0 } }] }, 'paths[0]: loss: meanBurst must be a number from 1'],
    [{ paths: [{}, { upMbps: 5 }] }, "paths: name must differ, got '30 ms' twice"],
    [{ servers: ['nginx'] }, 'servers must be a list of aioquic, quiche, none twice, got ["nginx"]'],
    [{ controls: [] }, 'controls must be a list of cubic, bbr2, delay, none twice, got []'],
    [{ servers: ['quiche', 'aioquic'], controls: ['cubic', 'bbr2'] }, "the server aioquic has only cubic, got 'bbr2'"],
    [{ crossTraffic: [{ webMbps: -1 }] }, 'crossTraffic[0]: webMbps must be a number from 0'],
    [{ videos: [{ file: 'v.mp4' }, { file: 'w/v.mp4' }] }, "videos: name must differ, got 'v' twice"],
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

it('finds a configuration by its path before 0.2, and says where it is now', () => {
  const noted = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(readConfig('test/trials/configs/quick.json')).toEqual(readConfig('lab/trials/configs/quick.json'));
  expect(noted.mock.calls).toEqual([['test/trials/configs/quick.json is lab/trials/configs/quick.json now\n']]);
  noted.mockRestore();
});

const FOLDER = join(import.meta.dirname, 'configs');

/** Seconds of a trial: of video where nothing else is said, and for the programs, scoring and stalls. */
const VIDEO_SECONDS = 60;
const OTHER_SECONDS = 30;
const HOUR = 3600;

/** Pictures of so few lines need little decoding: four sessions play at a time. */
const SMALL_LINES = 360;
const SMALL_JOBS = 4;

/** Mbit/s of the recordings: more shows nothing more, and rules that go by bitrate pay for it. */
const SOURCES: Readonly<Record<string, number>> = {
  'bbb_720p30_a.mp4': 2.38,
  'bbb_1080p24_c.mp4': 4.52,
  'sintel_1080p24_d.mp4': 6.67,
};

describe.each(readdirSync(FOLDER))('configs/%s', (name) => {
  const config = readConfig(join(FOLDER, name));

  it('runs on machines without recordings', () => {
    expect(() => tracesOf({ ...config, traces: config.traces.map(standIn) })).not.toThrow();
    for (const { trace } of config.paths.map(withStandIns).flatMap(({ bundle = [] }) => bundle)) {
      if (trace) expect(() => traceOf(trace, config.seed)).not.toThrow();
    }
    for (const { file, otherwise } of config.videos) expect(file === undefined || otherwise === 'sample').toBe(true);
  });

  it('names sizes that voxel-prepare knows', () => {
    const ladder = readFileSync(join(root, 'manifests/src/voxel_prepare/media/ladder.py'), 'utf8');
    const known = [...ladder.matchAll(/^ {4}"(\d+p)": \(/gm)].map(([, size]) => size);
    const named = config.videos.flatMap(({ levels = '', reference = '' }) => `${levels},${reference}`.match(/\d+p/g));
    expect(known).toEqual(expect.arrayContaining(named.filter(Boolean)));
    expect(known.length).toBeGreaterThan(7);
  });

  it('plays past the steps of its links', () => {
    const steps = config.traces.flatMap(({ source }) => [...source.matchAll(/@([\d.]+)/g)].map(([, at]) => Number(at)));
    for (const { duration = Infinity } of config.videos) expect(Math.max(0, ...steps)).toBeLessThan(duration);
  });

  it.runIf(/^rivals|^thesis-.*-small/.test(name))('asks for no more than its source has', () => {
    for (const { file, levels } of config.videos) {
      const rates = [...levels!.matchAll(/:([\d.]+)/g)].map(([, mbps]) => Number(mbps));
      expect(Math.max(...rates)).toBeLessThanOrEqual(SOURCES[basename(file!)]!);
    }
  });

  it.runIf(name.endsWith('-small.json'))('ends within an hour', () => {
    const traces = tracesOf({ ...config, traces: config.traces.map(standIn) });
    const { videos, links, paths, servers, controls, crossTraffic, buffers, systems, shifts, repetitions } = config;
    const places = links?.reduce((sum, link) => sum + link.traces.length * link.shifts, 0);
    const lists = [servers, controls, crossTraffic, buffers, systems];
    const ofEachPlace = lists.reduce((product, list) => product * list.length, repetitions);
    const ofEachVideo = ofEachPlace * (places ?? traces.length * paths.length * shifts);
    const seconds = videos.map((video) => {
      const { levels = '720p' } = video;
      const duration = config.live?.seconds ?? video.duration ?? VIDEO_SECONDS;
      const lines = Math.max(...[...levels.matchAll(/(\d+)p/g)].map(([, count]) => Number(count)));
      return (ofEachVideo * (duration + OTHER_SECONDS)) / (lines <= SMALL_LINES ? SMALL_JOBS : 1);
    });
    expect(seconds.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(HOUR);
  });
});
