import { expect, it, vi } from 'vitest';
import { segmentOf } from '../../../test/unit/segment-content.js';
import { ThroughputEstimator } from '../../../src/abr-star/index.js';
import { PathEstimate, voxel } from '../../../src/delivery/index.js';
import { strategyOf } from '../../../lab/strategies/strategies.js';
import { SegmentRequests, type RequestedSegment } from './segment-requests.js';

/** 600 kB of datagrams over 8 Mbit/s and 400 ms with 5 % loss. */
function requestsOf(bufferLevel: number, strategy = voxel, element?: HTMLMediaElement) {
  const throughput = new ThroughputEstimator();
  throughput.add({ bytes: 1e6, seconds: 1 });
  const path = new PathEstimate();
  path.add({ bytesUnreliable: 1e6, bytesLost: 0, bytesRecovered: 50_000, bytesDecoded: 0, rtt: 400 });
  return new SegmentRequests(
    { delivery: 'datagrams', ruleChooses: true, withDeadlines: strategy.deadlines, headerHosts: [], strategy },
    {
      sessions: { session: undefined },
      video: { bufferLevel, playbackRate: element ? 0 : 1, element, takesPieces: element !== undefined },
      receiver: { canRepair: () => Promise.resolve(true), assemble: vi.fn(), initialization: () => undefined },
      link: { throughput, path },
    },
  );
}

const segment = {
  map: segmentOf(0, [10_000, 600_000]),
  key: 'q00',
  decision: undefined,
} as unknown as RequestedSegment;

it('asks for parity where the buffer runs out before a loss can be asked for again, and there is time for it', async () => {
  const { parity } = await requestsOf(1.4).plan(segment);
  expect(parity).toMatchObject({ block: 128, symbol: 1150 });
  expect(parity!.amounts[0]).toBe(0);
  expect(parity!.amounts.at(-1)).toBeGreaterThan(0);
  expect((await requestsOf(8).plan(segment)).parity).toBeUndefined();
  expect((await requestsOf(1.1).plan(segment)).parity).toBeUndefined();
  expect((await requestsOf(1.4, strategyOf('clipstream')).plan(segment)).parity).toBeUndefined();
});

it('asks by time up to a second behind the place of a seek, and says where that is; otherwise from the first picture on', async () => {
  const planFor = (element: object) =>
    requestsOf(8, voxel, element as HTMLMediaElement).plan({ ...segment, time: { start: 8, duration: 4 } });
  expect(await planFor({ seeking: true, currentTime: 10.5 })).toMatchObject({ playFrom: 10.5, byTimeUntil: 11.5 });
  for (const element of [
    { seeking: true, currentTime: 7 },
    { seeking: true, currentTime: 12 },
    { seeking: false, currentTime: 10.5 },
  ]) {
    expect(await planFor(element)).toMatchObject({ playFrom: undefined, byTimeUntil: 9 });
  }
});
