import { describe, expect, it } from 'vitest';
import { quickVerdict } from '../quick-verdict.js';
import type { TrialResult } from '../result.js';
import { meanProgress } from './charts.js';
import { csvTable } from './columns.js';
import { factsOf } from './facts.js';
import { htmlReport } from './html.js';
import { markdownSummary, table } from './markdown.js';
import { overview } from './overview.js';
import { summarise } from './summary.js';

const VERSIONS = { commit: 'abc', browser: 'Chrome', dashjs: '5', node: 'v20', machine: 'a machine' };

function result(changes: Partial<TrialResult>): TrialResult {
  const plain = {
    ...{ id: 'id', video: 'clip', trace: 'link', crossTraffic: 'none', buffer: 1, shift: 0, repetition: 0, attempt: 1 },
    ...{ path: '30 ms', server: 'aioquic', control: 'cubic' },
    ...{
      datagrams: 1,
      gapsAtAppend: 0.1,
      appendedTwice: 0,
      repeatedOverLost: null,
      bytesRecovered: 20,
      bytesDecoded: 0,
      bytesParity: 0,
      redundant: 0,
      linkIdle: 0.25,
    },
    ...{
      system: 'voxel',
      label: 'VOXEL',
      valid: true,
      problems: [],
      notes: [],
      startup: 1,
      stallSeconds: 0,
      scores: [0.9, 1],
      scoreFirst: 0.95,
    },
    mos: { excellent: 0.5, good: 0.25, fair: 0.25, poor: 0, bad: 0 },
    ...{ bufRatio: 0, score: 0.95, bitrate: 1e6, aSSIM: 0.95, qoe: 0.9, switches: 1, stalls: 0 },
    ...{ bytesDelivered: 60, bytesSkipped: 30, bytesLost: 10, segmentsWithDrops: 0.5 },
    ...{ dropsWithReferences: 0, referencesDropped: null, versions: VERSIONS, date: '2026-01-02T03:04:05Z' },
  };
  return { ...(plain as unknown as TrialResult), ...changes };
}

const SYSTEMS = [
  { system: 'voxel', label: 'VOXEL' },
  { system: 'bola', label: 'BOLA' },
];

const bola = (changes: Partial<TrialResult>) => result({ system: 'bola', label: 'BOLA', ...changes });

describe('summarise', () => {
  it('has means with standard errors, and none for fewer than ten sessions', () => {
    const results = Array.from({ length: 10 }, (_, shift) => result({ shift, bufRatio: shift % 2 === 0 ? 0.1 : 0.3 }));
    const [row] = summarise(results, 'bola');
    expect(row!.bufRatio.mean).toBeCloseTo(0.2);
    expect(row!.bufRatio.error).toBeCloseTo(0.1 / 3);
    expect(row!.skipped.mean).toBeCloseTo(0.3);
    expect(row!.lost.mean).toBeCloseTo(0.1);
    expect(summarise(results.slice(1), 'bola')[0]!.bufRatio.error).toBeNull();
  });

  it('says of the tails what sessions say, and marks a higher score that is a slide show', () => {
    const stalls = { startup: 0, stalls: 2, stallSeconds: 6 };
    const known = { longestStall: 5, longestStill: 5, picturesPerSecond: 10 };
    const other = bola({ longestStall: 0, longestStill: 1, picturesPerSecond: 25, score: 0.9 });
    const [row, theirs] = summarise([result({ ...stalls, ...known }), other], 'bola');
    expect(row!.tails).toMatchObject({ longestStall: { value: 5 }, picturesPerSecond: { value: 10 } });
    expect([row!.slideShowBeside, theirs!.slideShowBeside]).toEqual([['BOLA'], []]);
    expect(table([row!])).toContain('| 0.9500, slide show beside BOLA |');
    // Six seconds in two stalls: neither is longer than both.
    const [old] = summarise([result(stalls)], 'bola');
    expect(old!.tails.longestStall).toBeNull();
    expect(table([old!])).toMatch(/\| 100.0 \| 6.00 \| ≤ 6.00 \|/);
  });

  it('counts start-up and stalls as waited, and a minute where playback never started', () => {
    const results = [
      ...[1, 2, 3].map((startup, shift) => result({ shift, startup, stallSeconds: 10 })),
      result({ shift: 3, startup: null, bufRatio: 1 }),
    ];
    const [row] = summarise(results, 'bola');
    expect([row!.waited.mean, row!.waitedMedian]).toEqual([24, 12.5]);
    expect(row!.waitedP90).toBeCloseTo(13 + 0.7 * 47);
  });

  it('bounds differences from ten pairs on, drawn over traces', () => {
    const starts = (trace: string, stallSeconds: number) =>
      Array.from({ length: 5 }, (_, shift) => [result({ trace, shift, stallSeconds }), bola({ trace, shift })]).flat();
    const results = [...starts('one', 0), ...starts('other', 2)];
    const together = (some: TrialResult[]) => summarise(some, 'bola').find(({ trace }) => trace === 'all')!.versus!;
    expect(together(results).waited).toEqual({ value: 1, pairs: 10, bounds: { low: 0, high: 2 } });
    expect(together(results.slice(2)).waited!.bounds).toBeUndefined();
  });

  it('pairs sessions that met the same link, in whatever order they were run', () => {
    const results = [
      result({ shift: 0, bufRatio: 0.1 }),
      result({ shift: 1, bufRatio: 0.2 }),
      bola({ shift: 1, bufRatio: 0.4 }),
      bola({ shift: 0, bufRatio: 0.3 }),
    ];
    const [ours, theirs] = summarise(results, 'bola');
    expect(ours!.versus!.bufRatio!.value).toBeCloseTo(-0.2);
    expect(theirs!.versus).toBeUndefined();
  });

  it('compares starts where both systems started', () => {
    const results = [
      ...[0, 1, 2].map((shift) => result({ shift, startup: shift === 0 ? null : 1, scoreFirst: 0.9 })),
      ...[0, 1, 2].map((shift) => bola({ shift, startup: 2, scoreFirst: 0.8 })),
    ];
    const { versus } = summarise(results, 'bola')[0]!;
    expect(versus!.startup).toEqual({ value: -1, pairs: 2 });
    expect(versus!.scoreFirst!.value).toBeCloseTo(0.1);
    expect(summarise([results[0]!, ...results.slice(3)], 'bola')[0]!.versus!.startup).toBeUndefined();
  });

  it('takes traces together where there are several', () => {
    const rows = summarise([result({}), result({ trace: 'other', bufRatio: 1 })], 'bola');
    expect(rows.map(({ trace, trials }) => [trace, trials])).toEqual([
      ['link', 1],
      ['other', 1],
      ['all', 2],
    ]);
  });
});

it('keeps paths, servers and controls apart', () => {
  const others = [{}, { path: '60 ms' }, { server: 'quiche' as const }, { control: 'bbr2' as const }];
  const rows = summarise(
    others.flatMap((changes) => [result(changes), bola(changes)]),
    'bola',
  );
  expect(rows.map(({ path, server, control, trials }) => [path, server, control, trials])).toEqual(
    [
      ['30 ms', 'aioquic', 'cubic', 1],
      ['60 ms', 'aioquic', 'cubic', 1],
      ['30 ms', 'quiche', 'cubic', 1],
      ['30 ms', 'aioquic', 'bbr2', 1],
    ].flatMap((row) => [row, row]),
  );
});

describe('csvTable', () => {
  it('has a header, numbers as they are, and nothing where there is none', () => {
    const [header, row] = csvTable(summarise([result({ trace: 'a, "b"' })], 'bola')).split('\n');
    expect(header).toMatch(/^video,trace,path,server,control,crossTraffic,buffer,system,trials,waited,waitedError,/);
    expect(row).toMatch(/^clip,"a, ""b""",30 ms,aioquic,cubic,none,1,voxel,1,1,,/);
    expect(header!.split(',')).toHaveLength(row!.replace('a, ', 'a').split(',').length);
  });
});

describe('htmlReport', () => {
  const report = (results: TrialResult[]) =>
    htmlReport({
      ...{ title: 'A <title>', baseline: 'bola', facts: ['a <fact>'], timelineOf: () => undefined, results },
      systems: SYSTEMS,
    });

  it('shows pictures and loads nothing', () => {
    const html = report([result({}), bola({ bufRatio: 0.2 }), result({ shift: 1 }), bola({ shift: 1 })]);
    expect(html).toContain('bufRatio, %');
    expect(html).toContain('<svg');
    expect(html).not.toMatch(/NaN|undefined|Infinity|src=|href="(?!data:,")|<script/);
    expect(html).toContain('A &lt;title&gt;');
    expect(html).toContain('a &lt;fact&gt;');
  });

  it('lists what does not count, and leaves it out of the figures', () => {
    const html = report([result({}), bola({ valid: false, problems: ['timers were 80 ms late'], bufRatio: 0.5 })]);
    expect(html).toContain('timers were 80 ms late');
    expect(html).not.toContain('>50.00');
  });

  it('is written even when nothing was measured', () => {
    expect(report([])).toContain('A &lt;title&gt;');
    expect(report([result({ bufRatio: 1, scores: [], score: 0, startup: null })])).not.toMatch(/NaN|Infinity/);
  });
});

describe('factsOf', () => {
  const config = {
    ...{ shifts: 3, repetitions: 1 },
    paths: [
      {
        ...{ name: 'lossy', delayMs: 15, upMbps: 10, loss: { percent: 3, meanBurst: 4 } },
        queue: { discipline: 'drop-tail' as const, limit: { packets: 32 } },
      },
    ],
  };

  it('says with what, where and when, each once', () => {
    const facts = factsOf(config, [result({}), result({ date: '2026-01-03T00:00:00Z' })], 2);
    expect(facts).toContain('commit abc');
    expect(facts).toContain('a machine; 2026-01-02; 2026-01-03');
    expect(facts).toContain('all 2 trials');
    expect(facts).toContainEqual(expect.stringMatching(/^path “lossy”: 15 ms .* 3 % loss in bursts of 4 packets$/));
  });

  it('counts what is missing', () => {
    expect(factsOf(config, [result({}), bola({ valid: false })], 4)).toContain(
      '1 of 4 trials: 3 are missing or do not count',
    );
  });
});

describe('the measures', () => {
  it('have opinions, carriers and other metrics, where they were counted', () => {
    const carriers = { datagrams: 0.8, streams: 0.2, http: 0 };
    const [row] = summarise([result({ carriers, measures: { vmaf: [80, 90] } }), result({ shift: 1 })], 'bola');
    expect(row).toMatchObject({ segmentsAsDatagrams: 0.8, vmaf: 85, psnr: null });
    const paths = [0.6, 0.4].map((share, index) => ({ name: 'ab'[index]!, bytes: 9, share }));
    const [shared] = summarise([result({ paths, bulkRates: [1e6, 3e6] })], 'bola');
    expect(shared).toMatchObject({
      bulkRate: 2e6,
      paths: [
        { name: 'a', share: 0.6 },
        { name: 'b', share: 0.4 },
      ],
    });
    expect(table([shared!])).toContain('a 60, b 40');
    const text = table(summarise([result({ measures: { vmaf: [80, 90] } })], 'bola'));
    expect(text).toContain('| 50 / 25 / 25 / 0 / 0 |');
    expect(text).toContain('| VMAF |');
    expect(text).not.toContain('PSNR');
  });

  it('have scores over time, of the sessions that got so far', () => {
    expect(meanProgress([[1, 0.8], [0.5]])).toEqual([
      [0, 0.75],
      [1, 0.8],
    ]);
  });
});

describe('markdownSummary', () => {
  it('has a table for each trace', () => {
    const rows = summarise([result({}), bola({ bufRatio: 0.2 }), result({ trace: 'other' })], 'bola');
    const text = markdownSummary({ title: 'A title', baseline: 'bola', systems: SYSTEMS, facts: ['a fact'], rows });
    expect(text).toMatch(/^# A title\n\n- a fact\n/);
    expect(text.match(/^## .*$/gm)).toEqual([
      '## Conditions beside each other',
      '## link, 30 ms, clip, aioquic with cubic',
      '## other, 30 ms, clip, aioquic with cubic',
      '## All traces together, 30 ms, clip, aioquic with cubic',
    ]);
    for (const lines of text.match(/(^\|.*\n)+/gm)!) {
      expect(
        new Set(
          lines
            .trim()
            .split('\n')
            .map((line) => line.split('|').length),
        ).size,
      ).toBe(1);
    }
    expect(text).toContain('| 1 | BOLA | 1 | 1.00 | 1.00 | 1.00 | 100.0 | 1.00 | 0.00 | 20.00 |');
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
  });
});

describe('overview', () => {
  it('has conditions that differ below each other and systems beside each other', () => {
    const rows = summarise([result({}), bola({ bufRatio: 0.2 }), result({ path: '60 ms', bufRatio: 0.1 })], 'bola');
    expect(overview(rows)).toContain(
      ['### bufRatio %\n', '| path | VOXEL | BOLA |', '| --- | --- | --- |', '| 30 ms | 0.00 | 20.00 |'].join('\n'),
    );
    expect(overview(rows)).toContain('| 60 ms | 10.00 |  |');
  });

  it('is empty where nothing differs', () => {
    expect(overview(summarise([result({}), bola({})], 'bola'))).toBe('');
  });
});

describe('quickVerdict', () => {
  it('holds only if VOXEL lets viewers wait less than the others, and shows no less', () => {
    expect(quickVerdict([result({ bufRatio: 0.01 }), bola({ startup: 2.5, bufRatio: 0.05 })], SYSTEMS)).toEqual({
      text: 'VOXEL: waited 1.0 s, bufRatio 1.00 %, SSIM 0.9500, 1.00 Mbit/s | BOLA: waited 2.5 s, bufRatio 5.00 %, SSIM 0.9500, 1.00 Mbit/s',
      holds: true,
    });
    const verdict = (ours: Partial<TrialResult>, theirs: Partial<TrialResult>) =>
      quickVerdict([result(ours), bola(theirs)], SYSTEMS).holds;
    expect(verdict({}, {})).toBe(false);
    expect(verdict({ startup: 9 }, { stallSeconds: 7, bufRatio: 0.1 })).toBe(false);
    expect(verdict({ score: 0.94 }, { stallSeconds: 7 })).toBe(false);
  });

  it('does not hold where one of them could not be measured', () => {
    const { text, holds } = quickVerdict([result({}), bola({ startup: 9, valid: false })], SYSTEMS);
    expect(text).toContain('BOLA: no valid trial');
    expect(holds).toBe(false);
    expect(quickVerdict([bola({ startup: 9 })], SYSTEMS).holds).toBe(false);
  });
});

describe('live sessions', () => {
  const live = {
    ...{ target: 1, seconds: 60, latency: 1.1, latencyP95: 1.4, stallsPerMinute: 2, interruptions: 3 },
    ...{
      interruptedSeconds: 1.2,
      replacedSeconds: 0.6,
      skippedSeconds: 0,
      chunks: 400,
      chunksRepaired: 20,
      chunksLate: 4,
    },
  };
  const rows = summarise([result({ live, stallSeconds: 0.9 }), bola({ live: { ...live, latency: null } })], 'voxel');

  it('have latency, stalls and interruptions in place of buffers', () => {
    const text = table(rows);
    expect(text).toContain('latency s');
    expect(text).not.toContain('waited s');
    expect(text).not.toContain('buffer');
    expect(rows[0]!.live!.stalled.mean).toBeCloseTo(0.015);
    expect(rows[0]!.live!.interrupted.mean).toBeCloseTo(0.02);
    expect(htmlReport({ ...HTML, results: [result({ live })] })).toContain('interruptions/min');
  });

  it('in which nothing was shown are as late as they are long', () => {
    expect(rows[1]!.live!.latency.mean).toBe(60);
  });

  it('leave the tables of others as they are', () => {
    const plain = summarise([result({})], 'voxel');
    expect(table(plain)).not.toContain('latency');
    expect(htmlReport({ ...HTML, results: [result({})] })).not.toContain('interruptions/min');
  });
});

const HTML = {
  ...{ title: 'T', baseline: 'voxel', systems: SYSTEMS, facts: [] },
  timelineOf: () => undefined,
};
