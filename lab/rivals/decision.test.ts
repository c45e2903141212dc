import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { abrNames, createAbr } from './registry.js';
import { arbitraryStates, knownThroughput } from '../../src/abr-star/testing/arbitrary.js';
import type { Abr, Choice, DecisionState } from '../../src/abr-star/types.js';

/** Lets a fresh rule decide about each state in turn. */
function decide(abr: Abr, states: readonly DecisionState[]): Choice[] {
  return states.map((state) => abr.choose(state));
}

describe.each(abrNames)('%s, whatever ladder, options, buffer and throughput', (name) => {
  test('chooses one of the options', () => {
    fc.assert(
      fc.property(arbitraryStates, (states) => {
        decide(createAbr(name), states).forEach(({ option }, index) => {
          expect(states[index]!.options).toContain(option);
        });
      }),
    );
  });

  test('waits a finite time, and never so long that less than a segment is left to play', () => {
    fc.assert(
      fc.property(arbitraryStates, (states) => {
        decide(createAbr(name), states).forEach(({ delay }, index) => {
          const { bufferLevel, segmentDuration } = states[index]!;
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(Math.max(0, bufferLevel - segmentDuration) + 1e-9);
        });
      }),
    );
  });

  test('decides after a reset as if it were new', () => {
    fc.assert(
      fc.property(arbitraryStates, (states) => {
        const abr = createAbr(name);
        const first = decide(abr, states);
        abr.reset();
        expect(decide(abr, states)).toEqual(first);
      }),
    );
  });

  test('reviews any download without an error, and restarts only lower and only with one of the options', () => {
    const download = fc.record({
      chosen: fc.nat(),
      elapsed: fc.double({ min: 0, max: 60, noNaN: true }),
      part: fc.nat(100),
    });
    fc.assert(
      fc.property(arbitraryStates, fc.array(download, { minLength: 1 }), (states, downloads) => {
        const abr = createAbr(name);
        decide(abr, states);
        const state = states.at(-1)!;
        for (const { chosen, elapsed, part } of downloads) {
          const option = state.options[chosen % state.options.length]!;
          const bytesReceived = (option.bytes * part) / 100;
          const phase = bytesReceived < option.reliableBytes ? 'reliable' : 'unreliable';
          const levelReceived = phase === 'reliable' ? 0 : option.level;
          const review = abr.review?.({ state, option, elapsed, bytesReceived, phase, levelReceived });
          if (review?.action === 'keep') expect(phase).toBe('unreliable');
          if (review?.action !== 'restart') continue;
          expect(state.options).toContain(review.option);
          expect(review.option.representation).toBeLessThan(option.representation);
        }
      }),
    );
  });
});

// A plan may prefer less now for the sake of what comes later, so the rules that plan are not among them.
test.each(abrNames.filter((name) => !['mpc', 'soda', 'fugu', 'abr-star'].includes(name)))(
  '%s never picks fewer bytes because the throughput is higher, once it has started',
  (name) => {
    const rate = fc.double({ min: 1, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(arbitraryStates, fc.tuple(rate, rate), (states, [a, b]) => {
        const bytesAt = (throughput: number) => {
          const started = [states[0]!, states[0]!, ...states].map((state) => ({ ...state, ...knownThroughput(1e6) }));
          const abr = createAbr(name);
          decide(abr, started);
          return abr.choose({ ...states.at(-1)!, ...knownThroughput(throughput) }).option.bytes;
        };
        expect(bytesAt(Math.max(a, b))).toBeGreaterThanOrEqual(bytesAt(Math.min(a, b)));
      }),
    );
  },
);
