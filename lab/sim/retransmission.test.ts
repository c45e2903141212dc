import { beforeEach, describe, expect, it, vi } from 'vitest';
import { LossEstimator, ThroughputEstimator } from '../../src/abr-star/index.js';
import { deliveredSegment, missingBytes } from './delivered-segment.js';
import { FlatTransport } from './link/flat-transport.js';
import { Link } from './link/link.js';
import { Playback } from './playback.js';
import { Retransmission, type ImprovableSegment } from './retransmission.js';
import { layOut } from './content/segment-layout.js';
import { makeTrace } from './link/trace.js';
import type { Transport } from './link/transport.js';

const LATENCY = 0.05;

/** Two frames of 10 kB each, worth 0.3 and 0.1. */
const MAP = layOut({
  reliableBytes: 5000,
  steps: [
    { score: 0.6, frames: 0, bytes: 0 },
    { score: 0.9, frames: 1, bytes: 10_000 },
    { score: 1, frames: 2, bytes: 20_000 },
  ],
});

/** Segment `index` of 4 s without the first, the second or both of its frames. */
const without = {
  first: () => deliveredSegment(MAP, 20_000, [{ start: 0, end: 10_000 }]),
  second: () => deliveredSegment(MAP, 10_000, []),
  both: () => deliveredSegment(MAP, 0, []),
};

describe('Retransmission', () => {
  let link: { readonly throughput: ThroughputEstimator; readonly loss: LossEstimator };
  let playback: Playback;
  let transport: Transport;
  let retransmission: Retransmission;
  let onImproved: ReturnType<typeof vi.fn<(segment: ImprovableSegment) => void>>;

  /** 100 kB/s, and two segments of 4 s in a buffer for two. */
  beforeEach(() => {
    playback = new Playback();
    playback.append(8);
    transport = new FlatTransport(new Link(makeTrace('x', 1, [8e5])), LATENCY);
    link = { throughput: new ThroughputEstimator(), loss: new LossEstimator() };
    link.throughput.add({ bytes: 1e5, seconds: 1 });
    onImproved = vi.fn();
    retransmission = new Retransmission({
      ...{ transport, playback, link, onImproved, bufferSegments: 2, segmentDuration: 4 },
    });
  });

  const missing = () => onImproved.mock.calls.map(([segment]) => [segment.index, missingBytes(segment)]);

  it('fetches in a pause what is missing', () => {
    retransmission.hold(2, without.second());
    expect(retransmission.bytesLeft).toBe(0);
    playback.append(4);
    retransmission.pass(4, false);
    expect(missing()).toEqual([[2, 0]]);
    expect(playback.time).toBe(4);
  });

  describe('in a pause that the rule makes', () => {
    beforeEach(() => {
      playback.advanceTo(4);
      retransmission.hold(2, without.second());
      playback.append(4);
    });

    it('asks for what should come before it ends, and for more in the next', () => {
      // The first look is after 100 ms; 0.9 of what comes in 50 ms are 4500 bytes.
      retransmission.pass(4.2, false);
      expect(missing()).toHaveLength(1);
      expect(missing()[0]![1]! / 5500).toBeCloseTo(1, 3);
      retransmission.pass(6, false);
      expect(missing().at(-1)).toEqual([2, 0]);
    });

    it('ends with what has come when the next segment is asked for', () => {
      // Twice as much as there is: of 9 kB 5 kB come.
      vi.spyOn(link.throughput, 'throughput', 'get').mockReturnValue(1.6e6);
      retransmission.pass(4.2, false);
      expect(missing()[0]![1]! / 5000).toBeCloseTo(1, 3);
      expect(retransmission.bytesLeft).toBe(0);
    });
  });

  it('fetches at once what is worth more than its bytes, before the next segment', () => {
    retransmission.hold(2, without.first());
    expect(retransmission.bytesLeft).toBe(10_000);
    playback.append(4);
    retransmission.pass(0, false);
    transport.request(0, retransmission.bytesLeft);
    expect(retransmission.receive(0.1)).toBe(0.1);
    expect(onImproved).not.toHaveBeenCalled();
    expect(retransmission.receive(1)).toBeCloseTo(0.15);
    expect(missing()).toEqual([[2, 0]]);
    expect(retransmission.bytesLeft).toBe(0);
  });

  it('takes no more than a tenth of the buffer for that', () => {
    playback.advanceTo(7.5);
    retransmission.hold(2, without.first());
    expect(retransmission.bytesLeft).toBe(4500);
  });

  it('leaves a segment as it is that is about to be played', () => {
    playback.advanceTo(7.6);
    retransmission.hold(2, without.both());
    playback.append(4);
    transport.request(7.6, retransmission.bytesLeft);
    retransmission.receive(7.7);
    expect(missing()).toEqual([[2, 20_000]]);
    retransmission.pass(9, false);
    expect(onImproved).toHaveBeenCalledOnce();
  });

  it('fetches after the last segment, too, until it is played', () => {
    retransmission.hold(2, without.second());
    playback.append(4);
    retransmission.pass(12, true);
    expect(missing()).toEqual([[2, 0]]);
  });
});
