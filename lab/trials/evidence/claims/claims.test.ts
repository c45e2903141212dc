import { expect, it } from 'vitest';
import { parseConfig } from '../../config.js';
import type { TrialResult } from '../../result.js';
import { matrixOf, type Matrix } from '../kept.js';
import {
  aheadExcept,
  bitratesOverQuicStar,
  lessAtHigherScore,
  perfectSegments,
  stallsOverQuicStar,
} from './beside-others.js';
import { LIVE_CLAIMS } from './live.js';
import { SEVERAL_PATHS } from './several-paths.js';
import { discarded, otherMetrics, remainsLost, stallsByMetric } from './measures.js';

const mos = { excellent: 0, good: 1, fair: 0, poor: 0, bad: 0 };

const LIVE: NonNullable<TrialResult['live']> = {
  ...{ target: 1, seconds: 60, latency: 1, latencyP95: 1, stallsPerMinute: 0, interruptions: 0, interruptedSeconds: 0 },
  ...{ replacedSeconds: 0, skippedSeconds: 0, chunks: 0, chunksRepaired: 0, chunksLate: 0 },
};

/** A matrix of these sessions, one of each kind. */
function matrix(sessions: readonly Partial<TrialResult>[], changes: object = {}): Matrix {
  const attempts = sessions.map((session, index) => ({
    ...{
      id: `${index}_00000000`,
      video: 'sample',
      trace: 'constant:5',
      path: '30 ms',
      server: 'aioquic',
      control: 'cubic',
    },
    ...{
      crossTraffic: 'none',
      buffer: 1,
      shift: 0,
      repetition: 0,
      valid: true,
      scores: [],
      mos,
      startup: 1,
      stallSeconds: 0,
    },
    ...{ bufRatio: 0, score: 0.9, bitrate: 1e6, bytesDelivered: 100, bytesSkipped: 0, bytesLost: 0, perfect: 0 },
    date: '2026-01-01T00:00:00Z',
    ...session,
  })) as unknown as TrialResult[];
  const fields = { title: 'T', systems: ['voxel'], traces: ['constant:5'], buffers: [1], ...changes };
  return matrixOf({ name: 'x', folder: 'x', config: parseConfig(JSON.stringify(fields), 'x.json'), attempts });
}

it('unmodified rules stall less over datagrams if both do, by as much as in the paper', () => {
  const sessions = (mpc: number, bola: number) =>
    matrix([
      ...(['mpc', 'bola'] as const).map((rule) => ({ system: `${rule}@streams`, bufRatio: 0.1, bitrate: 2e6 })),
      { system: 'mpc@datagrams', bufRatio: mpc, bitrate: 1e6 },
      { system: 'bola@datagrams', bufRatio: bola, bitrate: 1e6 },
    ]);
  const stalls = stallsOverQuicStar([-0.7, -0.1]);
  expect(stalls(sessions(0.01, 0.08))).toEqual({ ours: 'MPC −90.0 %, BOLA −20.0 %', verdict: 'beaten', sessions: 1 });
  expect(stalls(sessions(0.03, 0.09))).toMatchObject({ verdict: 'reproduced' });
  expect(stalls(sessions(0.01, 0.11))).toMatchObject({ verdict: 'not reproduced' });
  expect(bitratesOverQuicStar(sessions(0, 0))).toMatchObject({
    ours: 'MPC −50.0 %, BOLA −50.0 %',
    verdict: 'reproduced',
  });
  expect(stalls(matrix([{ system: 'mpc@streams' }]))).toBeUndefined();
});

it('being ahead is judged link by link, but for those where the paper is not', () => {
  const measure = aheadExcept({ A: 'constant:1', B: 'constant:2' }, [7], (trace) => trace === 'constant:2');
  const sessions = (a: number, b: number) =>
    matrix([
      ...['constant:1', 'constant:2'].map((trace) => ({ system: 'bola', trace, buffer: 7, bufRatio: 0.1 })),
      { system: 'voxel', trace: 'constant:1', buffer: 7, bufRatio: a },
      { system: 'voxel', trace: 'constant:2', buffer: 7, bufRatio: b },
    ]);
  expect(measure(sessions(0, 0))?.verdict).toBe('beaten');
  expect(measure(sessions(0, 0.2))?.verdict).toBe('reproduced');
  expect(measure(sessions(0.2, 0))?.verdict).toBe('not reproduced');
});

it('fewer stalls count at a score that is no lower', () => {
  const measure = lessAtHigherScore('bola@streams', 'bola-ssim@datagrams', {}, 0.35);
  const sessions = (bufRatio: number, score: number) =>
    matrix([
      { system: 'bola@streams', bufRatio: 0.1 },
      { system: 'voxel', bufRatio, score },
    ]);
  expect(measure(sessions(0.05, 0.9))).toEqual({
    ours: '10.0, 5.0 %; SSIM 0.900, 0.900',
    verdict: 'beaten',
    sessions: 1,
  });
  expect(measure(sessions(0.066, 0.9))?.verdict).toBe('reproduced');
  expect(measure(sessions(0.05, 0.89))?.verdict).toBe('not reproduced');
});

it('perfect segments are those of the links that are meant', () => {
  const measure = perfectSegments((trace) => trace.startsWith('step'), 0.8);
  const sessions = [
    { system: 'voxel', trace: 'step:2,1@9', perfect: 0.75 },
    { system: 'voxel', perfect: 0 },
    { system: 'bola@streams', trace: 'step:2,1@9' },
  ];
  expect(measure(matrix(sessions))).toEqual({ ours: '75 % against 0 %', verdict: 'reproduced', sessions: 1 });
});

it('what remains lost is judged buffer by buffer', () => {
  const sessions = [
    { buffer: 2, system: 'voxel', bytesLost: 1 },
    { buffer: 3, system: 'voxel', bytesLost: 1 },
  ];
  expect(remainsLost({ 2: 0.02, 3: 0.02 })(matrix(sessions))?.verdict).toBe('beaten');
  expect(remainsLost({ 2: 0.02, 3: 0.005 })(matrix(sessions))?.verdict).toBe('not reproduced');
});

it('segments count as thrown away nearly whole by the bytes that had come, over all segments', () => {
  const session = (discards: number[] | undefined) => ({
    ...{ system: 'bola', scores: [1, 1, 1, 1] },
    ...(discards && { discards }),
  });
  expect(discarded(0.25)(matrix([session([0.95, 0.6]), session(undefined)]))).toEqual({
    ours: '25.0 % nearly whole, 50.0 % more than half of them, 50.0 % at all',
    verdict: 'reproduced',
    sessions: 1,
  });
  expect(discarded(0.25)(matrix([session([0.95]), session([0.1])]))?.verdict).toBe('not reproduced');
  expect(discarded(0.25)(matrix([session(undefined)]))).toBeUndefined();
});

it('other metrics are compared over all segments, and stalls by the metric of the video', () => {
  const measures = (vmaf: number) => ({ vmaf: [vmaf, vmaf], psnr: [40, 40] });
  const both = (ours: number) =>
    matrix([
      { system: 'voxel', measures: measures(ours) },
      { system: 'bola', measures: measures(80) },
    ]);
  expect(otherMetrics(both(90))?.verdict).toBe('reproduced');
  expect(otherMetrics(both(70))?.verdict).toBe('not reproduced');
  expect(otherMetrics(matrix([{ system: 'voxel' }, { system: 'bola' }]))).toBeUndefined();
  const videos = ['ssim', 'psnr'].map((metric) => ({ name: metric, metric }));
  const byMetric = (bufRatio: number) => matrix([{ video: 'ssim' }, { video: 'psnr', bufRatio }], { videos });
  expect(stallsByMetric(byMetric(0))).toMatchObject({ ours: 'SSIM 0.00 %, PSNR 0.00 %', verdict: 'reproduced' });
  expect(stallsByMetric(byMetric(0.1))?.verdict).toBe('not reproduced');
});

it('VICTOR stalls less than a reliable bundle by the paper’s share; beaten where VOXEL does not stall and looks good', () => {
  const session = (system: string, bufRatio: number, aSSIM = 1) => ({
    ...{ system, bufRatio, aSSIM, path: 'LTE 3.6 %, WLAN 3.6 %' },
  });
  const measured = (victor: number, voxel: number, aSSIM: number) =>
    SEVERAL_PATHS[0]!.measured!(
      matrix([
        session('tput@streams+min-rtt', 0.5),
        session('tput@datagrams+victor', victor),
        session('voxel', voxel, aSSIM),
      ]),
    );
  expect(measured(0.1, 0, 0.96)).toMatchObject({ verdict: 'beaten', sessions: 1 });
  expect(measured(0.1, 0, 0.9)).toMatchObject({ verdict: 'reproduced' });
  expect(measured(0.2, 0, 0.96)).toMatchObject({ verdict: 'not reproduced' });
});

it('bulk flows keep their rate beside VOXEL if they have 95 % of what they have beside stock dash.js', () => {
  const claim = SEVERAL_PATHS.find(({ figure }) => figure === 'chunklets 6')!;
  const measured = (rate: number) =>
    claim.measured!(
      matrix([
        { system: 'dashjs-dynamic@http1', path: 'FQ-CoDel', bulkRates: [1e6, 3e6] },
        { system: 'voxel', path: 'FQ-CoDel', bulkRates: [rate] },
      ]),
    );
  expect(measured(1.95e6)).toMatchObject({ ours: '97.5 % of their rate', verdict: 'reproduced' });
  expect(measured(1.8e6)).toMatchObject({ verdict: 'not reproduced' });
  expect(claim.measured!(matrix([{ system: 'voxel', path: 'FQ-CoDel' }]))).toBeUndefined();
});

it('a path that goes must cost no stall and one event, and be used again within five seconds', () => {
  const claim = SEVERAL_PATHS.find(({ command }) => command === 'path-outage-small')!;
  const measured = (stallSeconds: number, outage: { failures: number; usedAgain: number | null }) => {
    const paths = [{ name: 'wlan', bytes: 1, share: 1, outages: [{ start: 1, stop: 2, ...outage }] }];
    return claim.measured!(matrix([{ system: 'voxel', stallSeconds, paths }]));
  };
  expect(measured(0, { failures: 1, usedAgain: 4 })).toMatchObject({ verdict: 'reproduced', sessions: 1 });
  for (const missed of [
    measured(1, { failures: 1, usedAgain: 4 }),
    measured(0, { failures: 2, usedAgain: 4 }),
    measured(0, { failures: 1, usedAgain: 6 }),
    measured(0, { failures: 1, usedAgain: null }),
  ])
    expect(missed).toMatchObject({ verdict: 'not reproduced' });
  expect(claim.measured!(matrix([{ system: 'voxel' }]))).toBeUndefined();
});

it('eight connections must have the top level under FQ-CoDel, and under PIE and FIFO not', () => {
  const claim = SEVERAL_PATHS.find(({ claim }) => claim.includes('eight connections bring'))!;
  const measured = (bitrates: readonly number[]) =>
    claim.measured!(
      matrix(
        ['FQ-CoDel', 'PIE', 'FIFO'].slice(0, bitrates.length).map((path, index) => ({
          ...{ system: 'tput@whole+chunklets', path, crossTraffic: '10 bulk flows', bitrate: bitrates[index]! },
        })),
      ),
    );
  expect(measured([4.2e6, 3e6, 1e6])).toMatchObject({ verdict: 'reproduced' });
  expect(measured([4e6, 3e6, 1e6])).toMatchObject({ verdict: 'not reproduced' });
  expect(measured([4.2e6, 4.2e6, 1e6])).toMatchObject({ verdict: 'not reproduced' });
  expect(measured([4.2e6, 3e6])).toBeUndefined();
});

it('eight connections must come to the top level under FQ-CoDel, and under PIE and FIFO not', () => {
  const [own, shared] = ['they come to play', 'they do not'].map((words) =>
    SEVERAL_PATHS.find(({ claim, figure }) => figure === 'chunklets 4' && claim.includes(words))!,
  );
  const sessions = (shares: Readonly<Record<string, number>>) =>
    matrix(
      Object.entries(shares).map(([path, share]) => ({
        ...{ system: 'tput@whole+chunklets', path, crossTraffic: '10 bulk flows', bitrate: 4e6 },
        levels: Array.from({ length: 200 }, (_, at) => (at >= 100 && at < 100 + 100 * share ? 16 : 15)),
      })),
    );
  expect(own!.measured!(sessions({ 'FQ-CoDel': 1 }))).toEqual({
    ours: 'FQ-CoDel 100.0 % of the second half, 4.00 Mbit/s',
    verdict: 'reproduced',
    sessions: 1,
  });
  expect(own!.measured!(sessions({ 'FQ-CoDel': 0.9 }))).toMatchObject({ verdict: 'not reproduced' });
  expect(own!.measured!(sessions({ PIE: 1 }))).toBeUndefined();
  expect(shared!.measured!(sessions({ FIFO: 0, PIE: 0.4 }))).toMatchObject({ verdict: 'reproduced' });
  expect(shared!.measured!(sessions({ FIFO: 0, PIE: 0.9 }))).toMatchObject({ verdict: 'not reproduced' });
  expect(shared!.measured!(sessions({ FIFO: 0 }))).toBeUndefined();
});

it('adaptive chunklets must do with three quarters of ten connections, VOXEL with three quarters of theirs at the top', () => {
  const claim = SEVERAL_PATHS.find(({ command }) => command === 'chunklets-12-small')!;
  const measured = (adaptive: object, voxel: object) =>
    claim.measured!(
      matrix([
        { system: 'tput@whole+chunklets', connections: 8, bitrate: 4e6, score: 1 },
        { system: 'tput@whole+adaptive-chunklets', connections: 7, bitrate: 3.8e6, score: 0.99, ...adaptive },
        { system: 'voxel+voxel-chunklets', connections: 4, bitrate: 3e6, score: 0.995, ...voxel },
      ]),
    )!.verdict;
  expect(measured({}, {})).toBe('beaten');
  expect(measured({}, { connections: 6 })).toBe('reproduced');
  expect(measured({}, { score: 0.98 })).toBe('reproduced');
  expect(measured({ connections: 8 }, {})).toBe('not reproduced');
  expect(measured({ bitrate: 3e6 }, {})).toBe('not reproduced');
});

it('after outages ours has to be a second nearer to its target than each peer, and interrupted no longer', () => {
  const claim = LIVE_CLAIMS.find(({ matrix: name }) => name === 'live-outage')!;
  const session = (system: string, latency: number, interruptedSeconds: number) => ({
    ...{ system, live: { ...LIVE, latency, interruptedSeconds } },
  });
  const peers = [session('dynamic', 3, 9), session('lolp', 4, 10), session('l2a-mended', 5, 8)];
  const verdict = (latency: number, interrupted: number) =>
    claim.measured!(matrix([session('voxel-live', latency, interrupted), ...peers]));
  expect(verdict(2, 8)).toEqual({
    ours: '2.00 s behind, interrupted for 13.33 %; they 3.00 s, 13.33 % at least',
    verdict: 'reproduced',
    sessions: 1,
  });
  expect(verdict(2.1, 8)).toMatchObject({ verdict: 'not reproduced' });
  expect(verdict(2, 8.1)).toMatchObject({ verdict: 'not reproduced' });
});
