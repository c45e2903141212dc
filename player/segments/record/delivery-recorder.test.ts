import { expect, it, vi } from 'vitest';
import { LossEstimator, ThroughputEstimator } from '../../../src/abr-star/index.js';
import { NO_COUNTS, PathEstimate } from '../../../src/delivery/index.js';
import { IntervalSet } from '../../../src/manifest/interval-set.js';
import { segmentOf } from '../../../test/unit/segment-content.js';
import { EventEmitter } from '../../api/events.js';
import { Journal } from './journal.js';
import type { Delivery, LivePluginEventMap } from '../../api/types.js';
import { DeliveryRecorder, type RecordedSegment } from './delivery-recorder.js';

const fragment = { index: 3, startTime: 12, duration: 4, representation: { id: 'q00', bandwidth: 1000 } };
const segment = {
  request: { url: 'https://media.example/q00.mp4?a=1' },
  fragment,
  map: segmentOf(1000, [40, 60, 10, 30]),
} as unknown as RecordedSegment;

function createRecorder() {
  const link = { loss: new LossEstimator(), throughput: new ThroughputEstimator(), path: new PathEstimate() };
  const journal = new Journal(new EventEmitter<LivePluginEventMap>());
  const rateControl = { delivered: vi.fn() };
  const retransmission = { suspend: vi.fn(), resume: vi.fn(), hold: vi.fn() };
  const receiver = { inspect: vi.fn() };
  const collaborators = { link, journal, receiver, rateControl, retransmission };
  return { ...collaborators, collaborators, recorder: new DeliveryRecorder(collaborators) };
}

function createFacts() {
  return {
    bytes: new Uint8Array(140),
    received: new IntervalSet(),
    frames: { states: [], repairedFrames: 0, repairedSlices: 0, removed: [] },
    kept: { id: 0, release: vi.fn() },
    ...NO_COUNTS,
    bytesReliable: 50,
    bytesUnreliable: 81,
    bytesLost: 9,
    bytesUnsent: 0,
    bytesRepeated: 30,
    bytesRecovered: 20,
    bytesDecoded: 10,
    bytesParity: 30,
    bytesMeasured: 120,
    seconds: 2,
    timeToFirstByte: 0.5,
    rtt: 60,
  };
}

function deliver(delivery: Delivery) {
  const facts = createFacts();
  const created = createRecorder();
  const { recorder, rateControl, retransmission, journal } = created;
  expect(recorder.isFirst).toBe(true);
  const order = recorder.arrived(segment, { level: 1, delivery, early: false }, facts);
  expect(recorder.isFirst).toBe(false);
  expect(rateControl.delivered).toHaveBeenCalledExactlyOnceWith(3);
  expect(retransmission.resume).toHaveBeenCalledExactlyOnceWith(60);
  expect(journal.segments).toEqual([]);
  recorder.delivered(segment, { level: 1, delivery, early: false }, facts, order);
  expect(journal.segments).toMatchObject([{ index: 3, representation: 'q00', delivery }]);
  expect(retransmission.hold).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ kept: facts.kept }));
  return created.link;
}

it('tells the estimates what a delivery says about the link', () => {
  const { loss, throughput, path } = deliver('datagrams');
  expect(throughput.samples).toEqual([{ bytes: 120, seconds: 2, timeToFirstByte: 0.5 }]);
  expect(loss.lossRate).toBe(0.1);
  // 9 lost for good, 20 recovered, 10 decoded.
  expect(path).toMatchObject({ lossRate: 39 / 90, roundTrip: 60 });
});

it('says nothing of losses over HTTP', () => {
  const { loss, path } = deliver('http');
  expect([loss.lossRate, path.lossRate]).toEqual([undefined, undefined]);
});

it('releases a segment with gaps where nothing is fetched again', () => {
  const facts = createFacts();
  const recorder = new DeliveryRecorder({ ...createRecorder().collaborators, retransmission: undefined });
  recorder.delivered(segment, { level: 1, delivery: 'datagrams', early: false }, facts, 0);
  expect(facts.kept.release).toHaveBeenCalledOnce();
});

it('keeps segments in the order in which they arrived, whenever they are recorded', () => {
  const { recorder, journal } = createRecorder();
  const [http, datagrams] = (['http', 'datagrams'] as const).map((delivery) => ({ level: 1, delivery, early: false }));
  const first = recorder.arrived(segment, http!, createFacts());
  const second = recorder.arrived(segment, datagrams!, createFacts());
  recorder.delivered(segment, datagrams!, createFacts(), second);
  expect(journal.segments).toMatchObject([datagrams]);
  recorder.delivered(segment, http!, createFacts(), first);
  expect(journal.segments).toMatchObject([http, datagrams]);
});
