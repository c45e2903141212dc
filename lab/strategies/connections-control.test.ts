import { expect, it } from 'vitest';
import type { DecisionState, Option } from '../../src/abr-star/index.js';
import { createAbr } from '../rivals/registry.js';
import type { ConnectionsNeed, ConnectionsSample } from './connections.js';
import type { DeliveredSegment, PathReport, SegmentRequest, VoxelSession } from '../../src/voxel-loader/types.js';
import { ConnectionsControl } from './connections-control.js';

const option: Option = { representation: 0, level: 0, score: 1, bytes: 1000, reliableBytes: 1000 };
const state = {
  ...{ segmentIndex: 7, segmentDuration: 2, bufferLevel: 4, bufferCapacity: 8, throughput: 1e6, samples: [] },
  ...{ lastChoice: undefined, ladder: [{ bitrate: 9e5, averageScore: 1 }], options: [option] },
} satisfies DecisionState;

/** A connection that has brought so many bytes. */
function path(bytes: number, current: PathReport['state'] = 'open'): PathReport {
  return { url: '', cost: 0, state: current, bytes, rate: 1, roundTrip: 1, lossRate: 0, error: undefined };
}

function scene(connections: number) {
  const needs: ConnectionsNeed[] = [];
  const samples: ConnectionsSample[] = [];
  const control = new ConnectionsControl({
    choose: (need) => {
      needs.push(need);
      return connections;
    },
    add: (sample) => void samples.push(sample),
  });
  const asked: SegmentRequest[] = [];
  let deliver!: (facts: DeliveredSegment) => void;
  const result = new Promise<DeliveredSegment>((resolve) => (deliver = resolve));
  const download: VoxelSession['download'] = (request) => {
    asked.push(request);
    return { result } as ReturnType<VoxelSession['download']>;
  };
  const session = control.direct({ download } as VoxelSession);
  return {
    control,
    needs,
    samples,
    asked,
    session,
    deliver: (facts: Partial<DeliveredSegment>) => deliver(facts as DeliveredSegment),
    result,
  };
}

it('asks for what the bitrate rule chose over as many connections as the rule for these says', () => {
  const { control, needs, asked, session } = scene(4);
  control.listenTo(createAbr('tput', {})).choose(state);
  session.download({ target: '/q' } as SegmentRequest);
  expect(asked).toEqual([{ target: '/q', connections: 4 }]);
  expect(needs).toMatchObject([{ segment: 7, representation: 0, sizes: [1000], isTop: true, wantedRate: 1e6 }]);
});

it('tells it what came: over those that are open, at which rate and how unequal', async () => {
  const { control, samples, session, deliver, result } = scene(3);
  control.listenTo(createAbr('tput', {})).choose(state);
  control.update([path(50_000), path(0)]);
  session.download({} as SegmentRequest);
  control.update([path(140_000), path(110_000), path(100_000, 'failed')]);
  deliver({ bytesMeasured: 300_000, seconds: 2.5, timeToFirstByte: 0.5 });
  await result;
  // 90, 110 and 100 kB.
  expect(samples).toMatchObject([{ segment: 7, connections: 2, rate: 1.2e6 }]);
  expect(samples[0]!.spread).toBeCloseTo(Math.sqrt(200 / 3) / 100);
});

it('leaves the bitrate rule as it is', () => {
  const rule = createAbr('abr-star', {});
  const listened = scene(1).control.listenTo(rule);
  expect(listened).toMatchObject({ name: 'abr-star', firstRate: rule.firstRate });
  expect(listened.delivery).toBe(rule.delivery);
  expect(Object.keys(listened)).toContain('review');
});
