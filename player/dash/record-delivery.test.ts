import { expect, it, vi } from 'vitest';
import { LossEstimator, ThroughputEstimator } from '../../src/abr-star/index.js';
import { IntervalSet } from '../../src/manifest/interval-set.js';
import { segmentOf } from '../../test/unit/segment-content.js';
import { EventEmitter } from '../events.js';
import { Journal } from '../journal.js';
import type { LoadContext, LoadJob } from './load-context.js';
import { noteDelivery, recordDelivery } from './record-delivery.js';
import type { Delivery, VoxelEventMap } from '../types.js';

function deliver(delivery: Delivery): Pick<LoadContext, 'loss' | 'throughput'> {
  const link = { loss: new LossEstimator(), throughput: new ThroughputEstimator() };
  const rateControl = { delivered: vi.fn(), review: vi.fn() };
  const retransmission = { resume: vi.fn(), suspend: vi.fn(), hold: vi.fn() };
  const context = { ...link, journal: new Journal(new EventEmitter<VoxelEventMap>()), rateControl, retransmission };
  const fragment = { index: 3, startTime: 12, duration: 4, representation: { id: 'q00', bandwidth: 1000 } };
  const job = {
    request: { url: 'https://media.example/q00.mp4?a=1', customData: { request: fragment } },
    map: segmentOf(1000, [40, 60, 10, 30]),
  };
  const facts = {
    ...{ bytes: new Uint8Array(140), received: new IntervalSet(), lost: [] },
    ...{ bytesReliable: 50, bytesUnreliable: 81, bytesLost: 9 },
    ...{ seconds: 2, timeToFirstByte: 0.5, rtt: 60 },
  };
  const args = [context as unknown as LoadContext, job as unknown as LoadJob, { level: 1, delivery }, facts] as const;
  noteDelivery(...args);
  expect(rateControl.delivered).toHaveBeenCalledExactlyOnceWith(3);
  expect(retransmission.resume).toHaveBeenCalledExactlyOnceWith(60);
  expect(context.journal.segments).toEqual([]);
  recordDelivery(...args, { bytes: new Uint8Array(), frames: [] });
  expect(context.journal.segments).toMatchObject([{ index: 3, delivery }]);
  expect(retransmission.hold).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ target: '/q00.mp4?a=1' }));
  return link;
}

it('tells the estimates what a delivery says about the link', () => {
  const { loss, throughput } = deliver('datagrams');
  expect(throughput.samples).toEqual([{ bytes: 131, seconds: 2, timeToFirstByte: 0.5 }]);
  expect(loss.lossRate).toBe(0.1);
});

it.each(['streams', 'http'] as const)('knows of no loss where there are no datagrams: %s', (delivery) => {
  expect(deliver(delivery).loss.lossRate).toBeUndefined();
});
