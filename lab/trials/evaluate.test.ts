import { describe, expect, it } from 'vitest';
import { NO_COUNTS } from '../../src/delivery/index.js';
import { evaluate, type Evidence } from './evaluate.js';
import { systemOf } from './system.js';

const LEVELS = [200_000, 800_000];

/** Two levels of three 4 s segments: 20 reliable and 80 unreliable bytes, ten times as many in the upper one. */
const segment = (scale: number, score: number) => ({
  reliableBytes: 20 * scale,
  steps: [
    { score: 0.5, frames: 0, bytes: 0 },
    { score, frames: 4, bytes: 80 * scale },
  ],
});

function evidence(
  observation: object,
  scored: Evidence['scored'] = new Map(),
  measures: Evidence['trial']['measures'] = [],
): Evidence {
  return {
    trial: {
      id: 'id',
      media: {
        name: 'clip',
        content: {
          segmentDuration: 4,
          ladder: LEVELS.map((bitrate) => ({ bitrate })),
          segments: Array.from({ length: 3 }, () => [segment(1, 0.9), segment(10, 1)]),
        },
      },
      ...{ trace: { name: 'trace' }, path: { name: '30 ms' }, server: 'aioquic', control: 'cubic' },
      system: systemOf('voxel'),
      crossTraffic: {},
      measures,
    },
    attempt: 1,
    observation: {
      outcome: 'ended',
      protocols: { h3: 1 },
      ...{ bulkRates: [], samples: [], pathMoments: [], pictures: [], times: { start: 0, request: 0, end: 0 } },
      notes: [],
      timerDelay: { p99: 1, max: 1 },
      ...observation,
      playback: {
        startupMs: 800,
        stalls: 1,
        stallSeconds: 3,
        errors: [],
        totalVideoFrames: 12,
        droppedVideoFrames: 0,
        ...(observation as { playback?: object }).playback,
      },
    },
    scored,
    link: { valid: true, lateMs: 1, paths: [{ name: 'link', down: [] }] },
    versions: {},
    date: new Date(0),
  } as unknown as Evidence;
}

const whole = (index: number, level: number) => ({
  index,
  bandwidth: LEVELS[level]!,
  transport: 'datagrams',
  ...NO_COUNTS,
  bytesReliable: [20, 200][level]!,
  bytesUnreliable: [80, 800][level]!,
  bytesRefetched: 0,
  framesSkipped: 0,
  framesRepaired: 0,
  frames: 'rccc',
  removed: [],
});

describe('evaluate', () => {
  it('scores whole segments by the manifest, damaged ones by their bytes, and counts what they lack', () => {
    const damaged = {
      ...whole(1, 1),
      bytesUnreliable: 500,
      bytesLost: 100,
      framesSkipped: 1,
      framesRepaired: 1,
      frames: 'rcxs',
    };
    const scored = new Map([
      [1, { score: 0.8, references: [true, true, false, false], measures: { psnr: 40, vmaf: 90 } }],
    ]);
    const result = evaluate(evidence({ segments: [whole(0, 0), damaged, whole(2, 1)] }, scored));
    expect(result.scores).toEqual([0.9, 0.8, 1]);
    expect(result).toMatchObject({
      valid: true,
      bufRatio: 3 / 12,
      score: 0.9,
      startup: 0.8,
      scoreFirst: (4 * 0.9 + 4 * 0.8 + 2 * 1) / 10,
      switches: 1,
      bytesDelivered: 100 + 700 + 1000,
      bytesLost: 100,
      bytesSkipped: 200,
      bitrate: (8 * 1800) / 12,
      segmentsWithDrops: 1 / 3,
      dropsWithReferences: 0,
      levels: [0, 1, 1],
      carriers: { datagrams: 1, streams: 0, http: 0 },
    });
    expect(result).not.toHaveProperty('measures');
  });

  it('knows what losses took of the score where nothing was left out on purpose', () => {
    const lossy = (index: number, framesSkipped: number) => ({
      ...whole(index, 1),
      ...{ bytesUnreliable: 700, bytesLost: 100, framesRepaired: 1, framesSkipped },
    });
    const scored = new Map(
      [0, 1].map((index) => [index, { score: 0.9, references: [], measures: { psnr: 40, vmaf: 90 } }]),
    );
    const segments = [lossy(0, 0), lossy(1, 1), whole(2, 1)];
    expect(evaluate(evidence({ segments }, scored)).scoreLost).toBeCloseTo(0.1 / 2);
    expect(evaluate(evidence({ segments: [lossy(0, 1)] }, scored)).scoreLost).toBeNull();
  });

  it('has every segment in the metrics that are asked for besides, whole ones too', () => {
    const scored = new Map([0, 1].map((index) => [index, { measures: { psnr: 30 + index, vmaf: 90 + index } }]));
    const result = evaluate(evidence({ segments: [whole(1, 1), whole(0, 0)] }, scored, ['vmaf']));
    expect(result).toMatchObject({ scores: [0.9, 1], measures: { vmaf: [90, 91] } });
  });

  it('has segments in the order of the video', () => {
    const result = evaluate(evidence({ segments: [whole(0, 0), whole(2, 1), whole(1, 1)] }));
    expect(result.scores).toEqual([0.9, 1, 1]);
    expect(result.scoreFirst).toBeCloseTo(0.96);
  });

  it('gives a session without hope a bufRatio of 1', () => {
    const neverStarted = { startupMs: undefined, stalls: 0, stallSeconds: 0 };
    const result = evaluate(evidence({ segments: [whole(0, 0)], outcome: 'hopeless', playback: neverStarted }));
    expect(evaluate(evidence({ segments: [] })).scoreFirst).toBeNull();
    expect(result).toMatchObject({ bufRatio: 1, startup: null, aSSIM: 0.45 });
  });

  it('does not guess the score of a segment with gaps', () => {
    const damaged = { ...whole(0, 0), framesSkipped: 1 };
    expect(() => evaluate(evidence({ segments: [damaged] }))).toThrow('has gaps and no score');
  });

  it('says what came over each path of a bundle, and of each bulk download beside it', () => {
    const seen = evidence({ segments: [{ ...whole(0, 0), connections: 3 }], bulkRates: [3e6, 2e6] });
    const paths = [300, 100].map((deliveredBytes, index) => ({
      name: 'ab'[index]!,
      down: [{ deliveredBytes }, { deliveredBytes }],
    }));
    const result = evaluate({ ...seen, link: { ...seen.link, paths } as unknown as Evidence['link'] });
    expect(result.paths).toEqual([
      { name: 'a', bytes: 600, share: 0.75 },
      { name: 'b', bytes: 200, share: 0.25 },
    ]);
    expect(result.bulkRates).toEqual([3e6, 2e6]);
    expect(result.connections).toBe(3);
    const alone = evaluate(evidence({ segments: [whole(0, 0)] }));
    expect(alone).not.toHaveProperty('paths');
    expect(alone).not.toHaveProperty('bulkRates');
    expect(alone).not.toHaveProperty('connections');
  });
});

it('counts of a live stream what was shown to its end once players had settled', () => {
  const plain = evidence({
    ...{ startedAt: 0, availabilityStart: -1000 },
    segments: [0, 1, 2].map((index) => ({ ...whole(index, 0), startTime: 4 * index, duration: 4 })),
    pictures: Array.from({ length: 300 }, (_, index) => [40 * index, 0.04 * index, index + 1]),
    live: {
      chunks: { delivered: 20, repaired: 0, late: 0 },
      settled: { stalls: 1, stallSeconds: 2 },
    },
  });
  const live = { latency: 1, seconds: 12, settling: 4 };
  const trial = { ...plain.trial, live, media: { ...plain.trial.media, frameSeconds: 0.04 } };
  // The last segment was not appended to its end.
  const scored = [0, 1].map((index) => [index, { score: 0.8 }] as const);
  const { scores, bufRatio, stallSeconds } = evaluate({
    ...plain,
    trial,
    scored: new Map(scored) as unknown as Evidence['scored'],
  });
  expect(scores).toEqual([0.8]);
  expect([stallSeconds, bufRatio]).toEqual([1, 1 / 8]);
});
