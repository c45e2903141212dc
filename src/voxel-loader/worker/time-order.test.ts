import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRemovableSegment, anyRequest, positions, segmentOf } from '../../../test/unit/segment-content.js';
import { totalBytes } from '../../manifest/byte-range.js';
import type { SegmentLayout } from '../types.js';
import { AssemblyPart } from './assembly-part.js';
import { SegmentAssembly } from './assembly.js';
import { planRequests } from './request-plan.js';
import { timeSteps, unneededBefore } from './time-order.js';

/** A key frame of 40 bytes, then four times a frame of 10 that may be missing and one of 6 that must come. */
const map = segmentOf(1000, [40, 10, 6, 10, 6, 10, 6, 10, 6]);
const time = { start: 8, duration: 2 };

const requestsOf = (
  timed: Parameters<typeof timeSteps>[1],
  unreliableBytes = 40,
  delivery: 'datagrams' | 'streams' = 'datagrams',
  layout: SegmentLayout = map,
) => {
  const assembly = new SegmentAssembly(layout, unreliableBytes);
  return planRequests(assembly, delivery, Infinity, timeSteps(layout, timed)).map((planned) => ({
    ranges: new AssemblyPart(assembly, planned.places).fileRanges().map(({ start, end }) => [start, end]),
    delivery: planned.delivery,
  }));
};

describe('the order by time', () => {
  it('asks in steps of half a second, reliable bytes first, and then for the rest by its worth', () => {
    expect(requestsOf({ time, byTimeUntil: 9 })).toEqual([
      {
        delivery: 'stream',
        ranges: [
          [1000, 1040],
          [1050, 1056],
        ],
      },
      { delivery: 'datagrams', ranges: [[1040, 1050]] },
      { delivery: 'stream', ranges: [[1066, 1072]] },
      { delivery: 'datagrams', ranges: [[1056, 1066]] },
      {
        delivery: 'stream',
        ranges: [
          [1082, 1088],
          [1098, 1104],
        ],
      },
      {
        delivery: 'datagrams',
        ranges: [
          [1088, 1098],
          [1072, 1082],
        ],
      },
    ]);
  });

  it('asks for nothing but the prefix of the frames, and for steps without datagrams together with the next', () => {
    expect(requestsOf({ time, byTimeUntil: 9.5 }, 20).map(({ ranges }) => ranges)).toEqual([
      [
        [1000, 1040],
        [1050, 1056],
        [1066, 1072],
        [1082, 1088],
      ],
      [[1072, 1082]],
      [[1098, 1104]],
      [[1088, 1098]],
    ]);
  });

  it('has the order of its steps on one stream, too', () => {
    expect(requestsOf({ time, byTimeUntil: 8.5 }, 40, 'streams')).toEqual([
      {
        delivery: 'stream',
        ranges: [
          ...[
            [1000, 1040],
            [1050, 1056],
            [1040, 1050],
          ],
          ...[
            [1066, 1072],
            [1082, 1088],
            [1098, 1104],
          ],
          ...[
            [1088, 1098],
            [1072, 1082],
            [1056, 1066],
          ],
        ],
      },
    ]);
  });

  it('begins with all up to the picture that playback begins with, where it is not known what frames need', () => {
    expect(requestsOf({ time, byTimeUntil: 9.5, playFrom: 9.3 }).map(({ ranges }) => ranges)).toEqual([
      [
        [1000, 1040],
        [1050, 1056],
        [1066, 1072],
        [1082, 1088],
      ],
      [
        [1040, 1050],
        [1056, 1066],
        [1072, 1082],
      ],
      [[1098, 1104]],
      [[1088, 1098]],
    ]);
  });

  it('leaves frames that are shown before and that no later one needs to the end', () => {
    // The frame at 1072 needs the one at 1040.
    const removable = { ...map, unreliable: [...map.unreliable].reverse(), needs: [[], [], [0], []] };
    const ranges = requestsOf({ time, byTimeUntil: 9.5, playFrom: 9.3 }, 40, 'datagrams', removable);
    expect(ranges.map((request) => request.ranges)).toEqual([
      [
        [1000, 1040],
        [1050, 1056],
        [1066, 1072],
        [1082, 1088],
      ],
      [
        [1040, 1050],
        [1072, 1082],
      ],
      [[1098, 1104]],
      [
        [1056, 1066],
        [1088, 1098],
      ],
    ]);
  });

  it('leaves frames to the end that cost what is shown little, where it is not known what frames need', () => {
    // In the order of worth the frames at 1088, 1072, 1056 and 1040. A third of what is shown is left, of a score of 1.
    const lossCosts = [0.0001, 0.004, 0.0025, 0.0015];
    const ranges = (playFrom: number) =>
      requestsOf({ time, byTimeUntil: playFrom + 0.2, playFrom }, 40, 'datagrams', { ...map, lossCosts });
    expect(ranges(9.3).map((request) => request.ranges)).toEqual([
      [
        [1000, 1040],
        [1050, 1056],
        [1066, 1072],
        [1082, 1088],
      ],
      [
        [1056, 1066],
        [1072, 1082],
      ],
      [[1098, 1104]],
      [
        [1088, 1098],
        [1040, 1050],
      ],
    ]);
    // Near its end what it does without would be seen.
    expect(ranges(9.9)[1]!.ranges).toHaveLength(4);
  });

  it('brings of a second before a picture what frames in it take that others need', () => {
    // A key frame, and in 2 s 50 frames of 10 bytes, of which every other one costs nothing but its own picture.
    const lengths = [100, ...Array.from({ length: 50 }, () => [10, 1]).flat()];
    const long = segmentOf(1000, lengths);
    const worth = (start: number) => ((start - 1100) / 11) % 2;
    const unreliable = [...long.unreliable].sort((a, b) => worth(a.start) - worth(b.start));
    const lossCosts = unreliable.map(({ start }) => (worth(start) === 1 ? 0.0002 : 0.01));
    const bytesBefore = (layout: SegmentLayout) => {
      const [first] = timeSteps(layout, { time, byTimeUntil: 10, playFrom: 9.2 });
      return totalBytes(first!) - 100;
    };
    // Up to .3 s behind the picture, 38 frames; of 25 before 9 s the twelve that cost little are not among them.
    expect(bytesBefore({ ...long, unreliable })).toBe(38 * 11);
    expect(bytesBefore({ ...long, unreliable, lossCosts })).toBe(38 * 11 - 12 * 10);
  });

  it('is that of the worth where nothing is said of time', () => {
    for (const timed of [{}, { time }, { byTimeUntil: 9 }, { time, byTimeUntil: 8 }]) {
      expect(requestsOf(timed)).toEqual(requestsOf({}));
    }
  });

  it('asks for every byte once, whatever the segment and the times', () => {
    const timed = fc.record({
      time: fc.record({
        start: fc.double({ min: 0, max: 9, noNaN: true }),
        duration: fc.double({ min: 0.1, max: 30, noNaN: true }),
      }),
      byTimeUntil: fc.option(fc.double({ min: 0, max: 50, noNaN: true }), { nil: undefined }),
      playFrom: fc.option(fc.double({ min: 0, max: 50, noNaN: true }), { nil: undefined }),
    });
    fc.assert(
      fc.property(anyRequest, timed, ({ map, unreliableBytes }, request) => {
        const assembly = new SegmentAssembly(map, unreliableBytes);
        const requests = planRequests(assembly, 'datagrams', Infinity, timeSteps(map, request));
        const places = requests.flatMap((planned) => planned.places.flatMap(positions));
        expect(places.sort((a, b) => a - b)).toEqual(positions({ start: 0, end: assembly.length }));
        expect(requests.length).toBeLessThanOrEqual(18);
        for (const { places, delivery } of requests) {
          expect(places.every(({ start }) => start < assembly.reliableLength === (delivery === 'stream'))).toBe(true);
        }
      }),
    );
  });

  it('counts as needed what frames from a position on need, and what that needs', () => {
    fc.assert(
      fc.property(anyRemovableSegment, fc.nat(), (map, at) => {
        const position = map.range.start + (at % (map.range.end - map.range.start));
        const left = new Set(unneededBefore(map, position, 1));
        for (const [index, range] of map.unreliable.entries()) {
          if (left.has(range)) expect(range.start).toBeLessThan(position);
          else expect(map.needs[index]!.filter((earlier) => left.has(map.unreliable[earlier]!))).toEqual([]);
        }
      }),
    );
  });
});
