import { describe, expect, it } from 'vitest';
import { makeTrace, traceDuration } from '../sim/link/trace.js';
import { parseConfig } from './config.js';
import type { Media } from './media.js';
import { planTrials } from './plan.js';
import { linkFile } from './link-file.js';
import { tracesOf } from './traces.js';

const media = { name: 'clip', digest: 'one', folder: '/clip' } as Media;
const trace = makeTrace('link', 1, [1e6, 2e6, 3e6, 4e6]);

function plan(changes: object = {}) {
  const fields = { title: 't', traces: ['constant:1'], buffers: [1, 7], systems: ['voxel', 'bola'], ...changes };
  return planTrials(parseConfig(JSON.stringify(fields), 'test.json'), [media], [trace]);
}

describe('planTrials', () => {
  it('has every combination once, with names for files', () => {
    const axes = {
      paths: [{}, { loss: { percent: 3, meanBurst: 4 } }],
      servers: ['quiche'],
      controls: ['cubic', 'bbr2'],
    };
    const trials = plan({ shifts: 2, repetitions: 3, crossTraffic: [{}, { webMbps: 20 }], ...axes });
    expect(new Set(trials.map(({ id }) => id)).size).toBe(2 * 3 * 2 * 2 * 2 * 2 * 2);
    for (const { id } of trials) expect(id).toMatch(/^[\w.=-]+$/);
  });

  it('compares systems under the same conditions, one after the other', () => {
    const [first, second] = plan({ shifts: 2 });
    expect([first!.system.name, second!.system.name]).toEqual(['voxel', 'bola']);
    expect({ ...second, id: '', system: '' }).toEqual({ ...first, id: '', system: '' });
    expect(linkFile(second!)).toEqual(linkFile(first!));
  });

  it('has a bundle with a trace for each path, from the same share of each on', () => {
    const bundle = [{ name: 'lte' }, { name: 'wlan', delayMs: 5, trace: 'step:8,2@3' }];
    const [trial, later] = plan({ paths: [{ bundle }], systems: ['bola'], buffers: [1], shifts: 2 });
    const steps = [1, 2, 3, 4].map((mbps) => ({ seconds: 1, mbps }));
    expect(linkFile(trial!)).toMatchObject({
      paths: [
        { name: 'lte', down: { delayMs: 15, trace: { steps, startSeconds: 0 } } },
        { name: 'wlan', down: { delayMs: 5, trace: { startSeconds: 0 } } },
      ],
    });
    const [first, second] = later!.bundle!;
    expect(first!.startSeconds).toBe(2);
    expect(second!.startSeconds).toBe(traceDuration(second!.trace) / 2);
    const slower = [bundle[0], { ...bundle[1], trace: 'step:7,2@3' }];
    const [other] = plan({ paths: [{ bundle: slower }], systems: ['bola'], buffers: [1], shifts: 2 });
    expect(other!.id).not.toBe(trial!.id);
  });

  it('gives the emulator losses as the path has them', () => {
    const [trial] = plan({ paths: [{ loss: { percent: 3, meanBurst: 4 } }] });
    expect(linkFile(trial!)).toMatchObject({ paths: [{ down: { loss: { percent: 3, meanBurst: 4 } } }] });
  });

  it('gives it the delays both ways, and the losses downwards, that come with a trace', () => {
    const conditions = [
      { delayMs: 10, lossPercent: 0 },
      { delayMs: 20, lossPercent: 5, meanBurst: 2 },
    ];
    const under = { ...makeTrace('link', 1, [1e6, 2e6]), conditions };
    const of = (one: typeof trace, path: object) => {
      const fields = { title: 't', traces: ['constant:1'], buffers: [1], systems: ['voxel'], paths: [path], shifts: 2 };
      return planTrials(parseConfig(JSON.stringify(fields), 'test.json'), [media], [one]);
    };
    const [, later] = of(under, { delayMs: 3 });
    expect(linkFile(later!)).toMatchObject({
      paths: [
        {
          down: {
            delayMs: 3,
            trace: {
              startSeconds: 1,
              steps: [
                { mbps: 1, ...conditions[0] },
                { mbps: 2, ...conditions[1] },
              ],
            },
          },
          up: { delayMs: 3, trace: { startSeconds: 1, steps: [{ delayMs: 10 }, { delayMs: 20 }] } },
        },
      ],
    });
    expect(JSON.stringify((linkFile(later!) as { paths: { up: object }[] }).paths[0]!.up)).not.toContain('lossPercent');
    expect(of({ ...under, conditions: [conditions[0]!] }, { delayMs: 3 })[1]!.id).not.toBe(later!.id);
    expect(() => of(under, { loss: { percent: 1 } })).toThrow('30 ms, 1 % loss has losses, and so has the trace link');
  });

  it('starts evenly over the trace', () => {
    const starts = plan({ shifts: 4, buffers: [1], systems: ['voxel'] }).map(({ startSeconds }) => startSeconds);
    expect(starts).toEqual([0, 1, 2, 3]);
  });

  it('lets links take turns, each with its own traces, path and starts', () => {
    const links = [
      { name: 'one', traces: ['constant:1'], shifts: 3, path: { delayMs: 50 } },
      { name: 'two', traces: ['constant:1', 'constant:2'] },
    ];
    const fields = { title: 't', links, buffers: [1], systems: ['voxel', 'bola'] };
    const config = parseConfig(JSON.stringify(fields), 'test.json');
    const trials = planTrials(config, [media], tracesOf(config));
    expect(trials.map(({ path, trace: { name }, shift }) => `${path.name} ${name} ${shift}`)).toEqual(
      [
        ...['100 ms constant:1 0', '30 ms constant:1 0', '100 ms constant:1 1'],
        ...['30 ms constant:2 0', '100 ms constant:1 2'],
      ].flatMap((place) => [place, place]),
    );
    expect(trials.map(({ startSeconds }) => startSeconds)).toContain(400);
  });

  it('refuses a link of more traces than it names', () => {
    const links = [{ name: 'one', traces: ['3g-like'] }];
    const config = parseConfig(JSON.stringify({ title: 't', links, buffers: [1], systems: ['voxel'] }), 'test.json');
    expect(() => planTrials(config, [media], tracesOf(config))).toThrow('must be a single one');
  });

  it('names a trial after all that it depends on', () => {
    const id = (changes: object) => plan(changes)[0]!.id;
    const same = id({});
    expect(id({ title: 'another title' })).toBe(same);
    expect(id({ paths: [{ delayMs: 20 }] })).not.toBe(same);
    expect(id({ paths: [{ queue: { discipline: 'drop-tail', limit: { packets: 750 } } }] })).not.toBe(same);
    expect(id({ paths: [{ loss: { percent: 1 } }] })).not.toBe(same);
    expect(id({ servers: ['quiche'] })).not.toBe(same);
    expect(id({ servers: ['quiche'], controls: ['bbr2'] })).not.toBe(id({ servers: ['quiche'] }));
    expect(id({ systems: ['voxel=0.8'] })).not.toBe(same);
    expect(id({ crossTraffic: [{ bulkFlows: 1 }] })).not.toBe(same);
    expect(id({ seed: 2 })).not.toBe(same);
  });
});

describe('tracesOf', () => {
  const spec = { otherwise: undefined, meanMbps: undefined, scale: undefined };

  it("takes a generator's trace by number, another mean, and other units", () => {
    const [third] = tracesOf({ traces: [{ ...spec, source: '3g-like:3' }], seed: 1 });
    expect(third!.name).toBe('3g-like-03');
    const [offset] = tracesOf({ traces: [{ ...spec, source: 'constant:4', meanMbps: 10 }], seed: 1 });
    expect(offset!.rates[0]).toBe(10e6);
    const [scaled] = tracesOf({ traces: [{ ...spec, source: 'constant:4', meanMbps: 10, scale: 0.2 }], seed: 1 });
    expect(scaled!.rates[0]).toBe(2e6);
  });

  it('takes what stands in where a file is absent', () => {
    const [standIn] = tracesOf({ traces: [{ ...spec, source: '/nowhere/t.csv', otherwise: 'lte-like:1' }], seed: 1 });
    expect(standIn!.name).toBe('lte-like-01');
  });

  it('plays rates under the delays and losses of a record, with a stand-in where it is absent', () => {
    const [trace, other] = tracesOf({
      traces: [
        { ...spec, source: 'lte-like:1', conditions: '/nowhere/record' },
        { ...spec, source: 'lte-like:1' },
      ],
      seed: 1,
    });
    expect([trace!.name, other!.name]).toEqual(['lte-like-01 under satellite-like', 'lte-like-01']);
    expect(trace!.rates).toEqual(other!.rates);
    expect(trace!.conditions).toHaveLength(trace!.rates.length);
  });

  it('refuses what is not there or there twice', () => {
    const of = (...sources: string[]) => tracesOf({ traces: sources.map((source) => ({ ...spec, source })), seed: 1 });
    expect(() => of('3g-like:11')).toThrow('3g-like has no trace with that number');
    expect(() => of('/nowhere/t.csv')).toThrow("no traces at '/nowhere/t.csv'");
    expect(() => of('constant:1', 'constant:1')).toThrow("'constant:1' is named twice");
  });
});
