import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ThroughputEstimator } from '../../src/abr-star/index.js';
import type { PathReport } from '../../src/voxel-loader/types.js';
import { PathFollower } from './path-follower.js';
import type { PathEvent } from '../api/types.js';

const a: PathReport = {
  ...{
    url: 'https://a/voxel',
    cost: 0,
    state: 'open',
    bytes: 0,
    rate: 3e6,
    roundTrip: 20,
    lossRate: 0,
    error: undefined,
  },
};
const b: PathReport = { ...a, url: 'https://b/voxel', rate: 1e6 };
const gone: PathReport = { ...b, state: 'failed', error: { code: 'timeout', message: 'silent' } };

let throughput: ThroughputEstimator;
let follower: PathFollower;
const emit = vi.fn<(event: PathEvent) => void>();

beforeEach(() => {
  emit.mockClear();
  throughput = new ThroughputEstimator();
  throughput.add({ bytes: 500_000, seconds: 1, timeToFirstByte: 0.1 });
  follower = new PathFollower(throughput, emit);
});

describe('PathFollower', () => {
  it('tells once that a path is gone, however often it is tried again, and once that it is back', () => {
    for (const paths of [
      [a, b],
      [a, gone],
      [a, { ...gone, state: 'opening' as const }],
      [a, gone],
      [a, b],
      [a, b],
    ])
      follower.update(paths);
    expect(emit.mock.calls.map(([{ url, state, code }]) => [url.slice(8, 9), state, code])).toEqual([
      ['a', 'open', undefined],
      ['b', 'open', undefined],
      ['b', 'failed', 'timeout'],
      ['b', 'open', undefined],
    ]);
    expect(follower.paths).toEqual([a, b]);
  });

  it('re-bases the estimate to the sum when a path goes or comes', () => {
    follower.update([a, b]);
    expect(throughput.throughput).toBeCloseTo(4e6);
    follower.update([a, gone]);
    expect(throughput.throughput).toBeCloseTo(3e6);
    expect(throughput.samples).toMatchObject([{ bytes: 375_000, seconds: 1 }]);
    follower.update([a, b]);
    expect(throughput.throughput).toBeCloseTo(4e6);
  });

  it('leaves the estimate alone where rates only change, while one is not known, and where the path is metered', () => {
    follower.update([a, { ...b, rate: undefined }]);
    follower.update([
      { ...a, rate: 2e6 },
      { ...b, rate: undefined },
    ]);
    expect(throughput.throughput).toBeCloseTo(4e6);
    follower.update([a, { ...b, cost: 1 }]);
    follower.update([a, { ...gone, cost: 1 }]);
    expect(throughput.throughput).toBeCloseTo(4e6);
  });

  it('says nothing of a link of which no path is left', () => {
    follower.update([a, b]);
    follower.update([{ ...a, state: 'failed' }, gone]);
    expect(throughput.throughput).toBeCloseTo(4e6);
  });
});
