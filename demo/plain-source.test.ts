import { describe, expect, it } from 'vitest';
import { plainSegment, type FragmentLoadingCompleted } from './plain-source.js';

const request: FragmentLoadingCompleted['request'] = {
  mediaType: 'video',
  type: 'MediaSegment',
  index: 3,
  startTime: 12,
  duration: 4,
  bytesLoaded: 250_000,
  startDate: new Date(1000),
  endDate: new Date(3000),
  representation: { id: 'q02', bandwidth: 560_000 },
};

describe('plainSegment', () => {
  it('takes a video segment as whole and reliable', () => {
    expect(plainSegment({ request })).toMatchObject({
      index: 3,
      representation: 'q02',
      delivery: 'http',
      bytesReliable: 250_000,
      seconds: 2,
      throughput: 1_000_000,
    });
  });

  it('leaves initialization, audio and failures out', () => {
    expect(plainSegment({ request: { ...request, type: 'InitializationSegment' } })).toBeUndefined();
    expect(plainSegment({ request: { ...request, mediaType: 'audio' } })).toBeUndefined();
    expect(plainSegment({ request, error: { code: 17 } })).toBeUndefined();
  });

  it('divides by no zero where the clock did not move', () => {
    expect(plainSegment({ request: { ...request, endDate: request.startDate } })?.throughput).toBe(2_000_000_000);
  });
});
