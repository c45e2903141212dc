import { expect, it } from 'vitest';
import type { ChunkEvent } from '../lab/index.js';
import { NO_COUNTS } from '../src/delivery/index.js';
import { LiveSegments } from './live-segments.js';

const CIRCUMSTANCES = { delivery: 'datagrams', throughput: 3e6 } as const;

const chunk = (index: number, facts: Partial<ChunkEvent> = {}): ChunkEvent => ({
  ...{ number: 0, index, startTime: index, duration: 0.25, capturedAt: 0, mediaType: 'video' },
  ...{ representation: 'v1', bandwidth: 8e5, wholeScore: 0.98, score: 0.98 },
  ...{ ...NO_COUNTS, bytesReliable: 500, bytesUnreliable: 1000, bytesUnsent: 0 },
  ...{ framesTotal: 2, framesRepaired: 0, frames: ['reliable', 'complete'] },
  data: new Uint8Array(),
  ...facts,
});

it('joins the chunks of a segment when the next one begins', () => {
  const segments = new LiveSegments();
  expect(segments.add(chunk(7, { score: 0.95 }), CIRCUMSTANCES)).toBeUndefined();
  const hurt = { bytesUnreliable: 200, bytesLost: 300, bytesUnsent: 500, framesRepaired: 2, score: 0.9, duration: 0.5 };
  segments.add(chunk(7, { ...hurt, frames: ['repaired', 'skipped'] }), CIRCUMSTANCES);
  const segment = segments.add(chunk(8), CIRCUMSTANCES)!;
  expect(segment.share).toBe(0.6);
  expect(segment.record).toMatchObject({
    ...{ index: 7, startTime: 7, duration: 0.75, seconds: 0.75, representation: 'v1', bandwidth: 8e5 },
    ...{ levels: 1, delivery: 'datagrams', throughput: 3e6 },
    ...{ bytesReliable: 1000, bytesUnreliable: 1200, bytesLost: 300 },
    ...{ framesTotal: 4, framesSkipped: 1, framesRepaired: 1 },
    frames: ['reliable', 'complete', 'repaired', 'skipped'],
    score: expect.closeTo(0.98 - 0.03 - 0.08) as number,
  });
});

it('takes a segment without unreliable bytes for whole', () => {
  const segments = new LiveSegments();
  segments.add(chunk(1, { bytesUnreliable: 0 }), CIRCUMSTANCES);
  expect(segments.add(chunk(2), CIRCUMSTANCES)).toMatchObject({ share: 1 });
});

it('counts chunks that came, were repaired, and were late', () => {
  const segments = new LiveSegments();
  const events = [chunk(1), chunk(1, { framesRepaired: 1 }), chunk(2, { framesRepaired: 1, bytesUnsent: 10 })];
  for (const event of events) segments.add(event, CIRCUMSTANCES);
  expect(segments.counts).toEqual({ delivered: 3, repaired: 2, late: 1 });
});
