import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_COUNTS } from '../../../src/delivery/index.js';
import type { ByteRange } from '../../../src/manifest/byte-range.js';
import type { VoxelSession } from '../../../src/voxel-loader/index.js';
import { FakeVoxelServer, responses, type FakeRequest } from '../../../test/unit/fake-voxel-server.js';
import { openSession } from '../../../src/voxel-loader/worker/session.js';
import { KeptSegments } from '../../../test/unit/kept-segments.js';
import { fileBytes, segmentOf } from '../../../test/unit/segment-content.js';
import type { DashRepresentation } from '../../dash/dash-types.js';
import { Retransmission, type DeliveredWithGaps, type RetransmissionCollaborators } from './retransmission.js';
import { createSegmentRecord } from './segment-record.js';

const map = segmentOf(1000, [40, 60, 10, 30]);
const [small, large] = map.unreliable as [ByteRange, ByteRange];
const whole = fileBytes([map.range]);

/** Milliseconds. */
const RTT = 10;

function answer(request: FakeRequest): void {
  request.send(responses.reliable(request.body.length));
  request.send(request.body);
  request.finish();
}

describe('Retransmission', () => {
  let server: FakeVoxelServer;
  let session: VoxelSession | undefined;
  /** The playback that the segments are for: at second 1 of 4 s segments, two more of them in the buffer. */
  let state: Pick<HTMLMediaElement, 'currentTime' | 'paused' | 'playbackRate' | 'readyState'> & {
    level: number;
    isLast: boolean;
  };
  let replace: ReturnType<typeof vi.fn<RetransmissionCollaborators['video']['replace']>>;
  let holds: ReturnType<typeof vi.fn<RetransmissionCollaborators['video']['holds']>>;
  let improved: ReturnType<typeof vi.fn<RetransmissionCollaborators['journal']['improved']>>;
  let notImproved: ReturnType<typeof vi.fn<RetransmissionCollaborators['journal']['notImproved']>>;
  let onRequest: (request: FakeRequest) => void;
  let retransmission: Retransmission;
  let segments: KeptSegments;

  /** Segment `index` of 4 s segments, with these unreliable ranges lost. */
  function deliver(index: number, ...lost: ByteRange[]): DeliveredWithGaps {
    const { received, ...kept } = segments.add(map, lost);
    const place = { index, startTime: 4 * index, duration: 4 };
    const outcome = {
      ...place,
      representation: 'q00',
      bandwidth: 1000,
      level: 2,
      delivery: 'datagrams' as const,
      early: false,
      received,
      ...NO_COUNTS,
      bytesReliable: map.reliableBytes,
      bytesUnreliable: received.size - map.reliableBytes,
      bytesLost: 140 - received.size,
      bytesRefetched: 0,
      bytesMeasured: received.size,
      seconds: 1,
      map,
      frames: [],
      removed: [],
    };
    return {
      place: { ...place, representation: { id: 'q00' } as DashRepresentation },
      kept,
      outcome,
      record: createSegmentRecord(outcome),
    };
  }

  beforeEach(async () => {
    vi.useFakeTimers();
    onRequest = answer;
    server = new FakeVoxelServer((request) => onRequest(request));
    const endpoint = { url: 'https://a.example/voxel', certificateHashes: [] };
    const opened = await openSession(endpoint, server.WebTransport);
    segments = new KeptSegments();
    session = {
      thread: 'page',
      closed: opened.closed,
      close: () => opened.close(),
      download: vi.fn(),
      fetchInto: (kept, ranges) => segments.fetchInto(opened, kept, ranges),
      follow: vi.fn(),
      play: vi.fn(),
    };
    state = { currentTime: 1, paused: false, playbackRate: 1, readyState: 4, level: 9, isLast: false };
    replace = vi.fn(() => Promise.resolve(true));
    holds = vi.fn(() => true);
    improved = vi.fn();
    notImproved = vi.fn();
    retransmission = new Retransmission({
      sessions: {
        get session() {
          return session;
        },
      },
      journal: { improved, notImproved },
      throughput: { throughput: 8000 },
      settings: { secondsHeld: 8 },
      video: {
        get element() {
          return state as unknown as HTMLMediaElement;
        },
        get bufferLevel() {
          return state.level;
        },
        get isLastRequested() {
          return state.isLast;
        },
        holds: (place) => holds(place),
        replace: (place, media) => replace(place, media),
      },
    });
  });

  afterEach(() => {
    retransmission.stop();
    vi.useRealTimers();
  });

  function resumeWith(segment: DeliveredWithGaps): void {
    retransmission.resume(RTT);
    retransmission.hold(segment);
  }

  /** With a buffer too low for urgent requests when the segment comes. */
  function hold(segment: DeliveredWithGaps): void {
    const { level } = state;
    state.level = 0;
    resumeWith(segment);
    state.level = level;
  }

  /** Long enough for one look, a request, and what follows. */
  const look = () => vi.advanceTimersByTimeAsync(150);
  const asked = () => server.requests.map(({ ranges }) => ranges);

  it('fetches what is missing while the buffer is full, and appends the better segment', async () => {
    const segment = deliver(1, large, small);
    hold(segment);
    await look();
    expect(asked()).toEqual([[small, large]]);
    expect(server.requests[0]!.head).toContain('GET /q00.mp4 ');
    expect(replace).toHaveBeenCalledExactlyOnceWith(segment.place, whole);
    const [former, record] = improved.mock.lastCall!;
    expect(former).toBe(segment.record);
    expect(record).toMatchObject({ bytesRefetched: 90, bytesLost: 0, bytesUnreliable: 90, score: 1 });
    expect(record.firstPass).toEqual({ bytesLost: 90, framesRepaired: 0 });
    expect(record.throughput).toBe(former.throughput);
    expect(segments.size).toBe(0);
  });

  it('asks for no more than fits into the pause', async () => {
    // 1000 bytes/s for 93.75 ms less the round trip of 10 ms, 0.9 of that: 75 bytes.
    state.level = 8.09375;
    hold(deliver(1, large, small));
    await look();
    expect(asked()[0]).toEqual([small, { start: large.start, end: large.start + 45 }]);
    expect(improved.mock.lastCall![1]).toMatchObject({ bytesRefetched: 75, bytesLost: 15 });
  });

  it.each([
    ['a segment is wanted now', () => (state.level = 7.9)],
    ['there is no session', () => (session = undefined)],
    ['dash.js does not hold the segment', () => holds.mockReturnValue(false)],
    ['it is about to be played', () => (state.currentTime = 3.6)],
    ['it is complete', () => retransmission.suspend(4)],
  ])('asks for nothing when %s', async (_case, change) => {
    hold(deliver(1, small));
    change();
    await look();
    expect(asked()).toEqual([]);
  });

  it.each([
    ['the rule waits', () => retransmission.expectRequestIn(1)],
    ['no segment follows', () => (state.isLast = true)],
  ])('takes its time when %s, whatever the buffer', async (_case, change) => {
    state.level = 3;
    change();
    hold(deliver(1, small));
    await look();
    expect(asked()).toEqual([[small]]);
  });

  describe('of a loss that costs far more than its share', () => {
    const valuable = (): DeliveredWithGaps => {
      const delivered = deliver(1, small);
      return { ...delivered, outcome: { ...delivered.outcome, map: { ...map, lossCosts: [0.4, 0.1] } } };
    };

    it('does not wait for a pause, nor end with the next request', async () => {
      state.level = 5;
      onRequest = () => {};
      resumeWith(valuable());
      retransmission.suspend(12);
      await look();
      expect(asked()).toEqual([[small]]);
      answer(server.requests[0]!);
      await look();
      expect(improved).toHaveBeenCalledOnce();
    });

    it('waits with the better segment until dash.js has the first one in its buffer', async () => {
      state.level = 5;
      replace.mockResolvedValueOnce(false);
      resumeWith(valuable());
      retransmission.suspend(12);
      await look();
      await look();
      expect(replace).toHaveBeenCalledTimes(2);
      expect(improved).toHaveBeenCalledOnce();
    });

    it('takes no more than a tenth of the buffer', async () => {
      // 10 ms at 1000 bytes/s, 0.9 of that.
      state.level = 0.1;
      resumeWith(valuable());
      await look();
      expect(asked()).toEqual([[{ start: small.start, end: small.start + 9 }]]);
    });
  });

  it('is idle for as long as a full buffer does not play', async () => {
    Object.assign(state, { paused: true, level: 8.01 });
    hold(deliver(1, small));
    await look();
    expect(asked()).toEqual([[small]]);
  });

  it('leaves the link to what playback waits for, such as sound', async () => {
    state = { ...state, readyState: 2 };
    hold(deliver(1, small));
    await look();
    expect(asked()).toEqual([]);
    state = { ...state, readyState: 3 };
    await look();
    expect(asked()).toEqual([[small]]);
  });

  it('stops when the next segment is asked for, and uses what has arrived', async () => {
    onRequest = (request) => {
      request.send(responses.reliable(request.body.length));
      request.send(request.body.subarray(0, 40));
    };
    hold(deliver(1, large, small));
    await look();
    expect(improved).not.toHaveBeenCalled();
    retransmission.suspend(12);
    await look();
    expect(server.requests[0]!.cancelled).toBe(true);
    expect(improved.mock.lastCall![1]).toMatchObject({ bytesRefetched: 40, bytesLost: 50 });
    expect(asked()).toHaveLength(1);
    onRequest = answer;
    retransmission.resume(RTT);
    await look();
    expect(asked()[1]).toEqual([{ start: large.start + 10, end: large.end }]);
    expect(improved.mock.lastCall![1]).toMatchObject({ bytesRefetched: 90, bytesLost: 0 });
  });

  it('stops shortly before the segment is played', async () => {
    onRequest = () => {};
    hold(deliver(1, small));
    await look();
    state.currentTime = 3.6;
    await look();
    expect(server.requests[0]!.cancelled).toBe(true);
    expect(improved).not.toHaveBeenCalled();
  });

  it('leaves a segment as it is that the decoder reads by the time a better one is ready', async () => {
    onRequest = () => {};
    hold(deliver(1, small));
    await look();
    // Nothing has looked since: a busy machine.
    state.currentTime = 3.8;
    answer(server.requests[0]!);
    await look();
    expect(replace).not.toHaveBeenCalled();
    expect(improved).not.toHaveBeenCalled();
  });

  it('forgets a segment that is asked for again', async () => {
    retransmission.suspend(4);
    hold(deliver(1, small));
    retransmission.suspend(4);
    retransmission.resume(RTT);
    await look();
    expect(asked()).toEqual([]);
  });

  it('does not ask twice for what the server refuses', async () => {
    onRequest = (request) => {
      request.send(responses.error(404));
      request.finish();
    };
    hold(deliver(1, small));
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked()).toHaveLength(1);
    expect(notImproved).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'status' }));
  });

  it('leaves the record as it is when dash.js does not take the segment', async () => {
    replace.mockRejectedValue(new Error('full'));
    hold(deliver(1, small));
    await vi.advanceTimersByTimeAsync(1000);
    expect(improved).not.toHaveBeenCalled();
    expect(notImproved).toHaveBeenCalledOnce();
    expect(asked()).toHaveLength(1);
  });
});
