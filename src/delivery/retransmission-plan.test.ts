import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { totalBytes } from '../manifest/byte-range.js';
import { IntervalSet } from '../manifest/interval-set.js';
import { estimateScore } from '../manifest/score-estimate.js';
import type { SegmentMap } from '../manifest/segment-map.js';
import { anyRemovableSegment, anySegment, segmentOf } from '../../test/unit/segment-content.js';
import { planRetransmission, type PartialSegment } from './retransmission-plan.js';

/** The segment with everything here but these places of its unreliable order. */
function without(map: SegmentMap, ...missing: number[]): PartialSegment {
  const received = new IntervalSet();
  const here = [...map.reliable, ...map.unreliable.filter((_, index) => !missing.includes(index))];
  for (const { start, end } of here) received.add(start - map.range.start, end - map.range.start);
  return { map, received };
}

/** Unreliable: 1110-1140, then 1040-1100, each worth 0.25 of the score. */
const map = segmentOf(1000, [40, 60, 10, 30]);
const [small, large] = map.unreliable as [SegmentMap['range'], SegmentMap['range']];

describe('planRetransmission', () => {
  it('takes what gives most score per byte first, whatever segment it is of', () => {
    const [first, second] = [without(map, 1), without(map, 0)];
    expect([...planRetransmission([first, second], { bytes: 1000 })]).toEqual([
      [second, [small]],
      [first, [large]],
    ]);
  });

  it('goes by what a loss was measured to cost where that is known', () => {
    const measured = { ...map, lossCosts: [0.001, 0.1] };
    expect([...planRetransmission([without(measured, 0, 1)], { bytes: 1000 }).values()]).toEqual([[small, large]]);
    const whole = segmentOf(1000, [40, 60, 10, 30, 10, 20]);
    // The last of the order is here, so the others are losses inside the prefix.
    const lost = without({ ...whole, lossCosts: [0.001, 0.1, 0.1] }, 0, 1);
    expect([...planRetransmission([lost], { bytes: 1000 }).values()]).toEqual([
      [whole.unreliable[1], whole.unreliable[0]],
    ]);
  });

  it('leaves alone what does not raise the score', () => {
    const flat = { ...map, lossCosts: [0, -0.01] };
    const received = without(segmentOf(1000, [40, 60, 10, 30]), 0).received;
    expect(planRetransmission([{ map: flat, received }], { bytes: 1000 }).size).toBe(0);
  });

  it('can be asked for what is worth far more than an average byte only', () => {
    // On average 0.5 / 90 bytes; the small one 0.25 / 30, the large one 0.25 / 60.
    const plan = (leastWorth: number) => planRetransmission([without(map, 0, 1)], { bytes: 1000, leastWorth });
    expect([...plan(0.7).values()]).toEqual([[small, large]]);
    expect([...plan(1.4).values()]).toEqual([[small]]);
    expect(plan(1.6).size).toBe(0);
  });

  it('asks for missing pieces of a slice only', () => {
    const { received } = without(map, 1);
    received.add(50, 70);
    expect([...planRetransmission([{ map, received }], { bytes: 1000 }).values()]).toEqual([
      [
        { start: 1040, end: 1050 },
        { start: 1070, end: 1100 },
      ],
    ]);
  });

  it('stops where the bytes are spent', () => {
    expect([...planRetransmission([without(map, 0, 1)], { bytes: 35.9 }).values()]).toEqual([
      [small, { start: 1040, end: 1045 }],
    ]);
    expect(planRetransmission([without(map, 0, 1)], { bytes: 0.9 }).size).toBe(0);
  });

  it('never asks for what is here, nor for more than it may, and raises the estimate', () => {
    fc.assert(
      fc.property(
        fc.oneof(anySegment, anyRemovableSegment),
        fc.array(fc.nat(15)),
        fc.nat(600),
        (segment, missing, bytes) => {
          const partial = without(segment, ...missing);
          const isHere = ({ start, end }: SegmentMap['range']): boolean =>
            partial.received.contains(start - segment.range.start, end - segment.range.start);
          const before = estimateScore(segment, isHere);
          const ranges = planRetransmission([partial], { bytes }).get(partial) ?? [];
          expect(totalBytes(ranges)).toBeLessThanOrEqual(bytes);
          const added = ranges.map(({ start, end }) =>
            partial.received.add(start - segment.range.start, end - segment.range.start),
          );
          expect(added.reduce((sum, count) => sum + count, 0)).toBe(totalBytes(ranges));
          expect(estimateScore(segment, isHere)).toBeGreaterThanOrEqual(before - 1e-9);
        },
      ),
    );
  });

  describe('where frames are removed', () => {
    /** In this order: 10, 20, 30 and 40 bytes. */
    const segment = segmentOf(0, [5, 40, 5, 30, 5, 20, 5, 10]);
    const planned = (changes: Partial<SegmentMap>, ...missing: number[]): number[] => {
      const partial = without({ ...segment, ...changes }, ...missing);
      return [...planRetransmission([partial], { bytes: 1000 }).get(partial)!].map((range) =>
        segment.unreliable.findIndex(({ start }) => start === range.start),
      );
    };

    it('asks first for what most depends on', () => {
      const lossCosts = [0.1, 0.01, 0.3, 0];
      // .1 for 10 bytes; .01 for 20, or .31 where the .3 is here and waits for them, .31 for 50 where it is missing, too.
      expect(planned({ needs: [[], [], [], []], lossCosts }, 0, 1)).toEqual([0, 1]);
      expect(planned({ needs: [[], [], [1], []], lossCosts }, 0, 1)).toEqual([1, 0]);
      expect(planned({ needs: [[], [], [1], []], lossCosts }, 0, 1, 2)).toEqual([0, 1, 2]);
      const dear = [0.05, 0.01, 0.3, 0];
      expect(planned({ needs: [[], [], [1], []], lossCosts: dear }, 0, 1, 2)).toEqual([1, 2, 0]);
    });

    it('asks for nothing before what it needs', () => {
      fc.assert(
        fc.property(anyRemovableSegment, fc.array(fc.nat(15)), (map, missing) => {
          const partial = without(map, ...missing);
          const isHere = ({ start, end }: SegmentMap['range']): boolean =>
            partial.received.contains(start - map.range.start, end - map.range.start);
          const ranges = planRetransmission([partial], { bytes: 10_000 }).get(partial) ?? [];
          for (const { start, end } of ranges) {
            partial.received.add(start - map.range.start, end - map.range.start);
            const index = map.unreliable.findIndex((range) => range.start === start);
            for (const need of map.needs[index]!) expect(isHere(map.unreliable[need]!)).toBe(true);
          }
          expect(estimateScore(map, isHere)).toBeCloseTo(map.steps.at(-1)!.score, 12);
        }),
      );
    });
  });
});
