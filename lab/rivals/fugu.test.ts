import { describe, expect, test } from 'vitest';
import { wholeSegment } from '../../src/abr-star/options.js';
import { ladderOptions, thesisLadder } from '../../src/abr-star/testing/ladder.js';
import type { DecisionState } from '../../src/abr-star/types.js';
import { fuguNetwork } from './fugu-network.js';
import { Fugu } from './fugu.js';
import { chances, hiddenUnits, linkHistory, networkInputs, TIME_RATIOS } from './transmission-time.js';

const samples = (...mbps: number[]) => mbps.map((rate) => ({ bytes: (rate * 1e6) / 8, seconds: 1 }));

describe('history', () => {
  test('is the harmonic mean of the last five rates and how far each is from it, newest first', () => {
    // 2 / (1/4 + 1/1) = 1.6.
    const { rate, deviations } = linkHistory(samples(4, 1))!;
    expect(rate).toBeCloseTo(1.6e6, 3);
    expect(deviations[0]).toBeCloseTo(Math.log(1 / 1.6), 9);
    expect(deviations[1]).toBeCloseTo(Math.log(4 / 1.6), 9);
    expect(deviations.slice(2)).toEqual([0, 0, 0]);
  });

  test('forgets the sixth, and passes over what carries no rate', () => {
    expect(linkHistory(samples(9, 2, 2, 2, 2, 2))!.rate).toBeCloseTo(2e6, 3);
    expect(linkHistory([{ bytes: 0, seconds: 3 }])).toBeUndefined();
  });
});

describe('network', () => {
  test('is a layer of tanh and a softmax, by hand', () => {
    const network = {
      hidden: [[1, -1, 0.5]],
      output: [
        [2, 0],
        [0, 1],
      ],
    };
    // tanh(.3 − .1 + .5) = .6044; e^1.2088 and e^1, that is 3.3494 and 2.7183.
    const units = hiddenUnits(network, [0.3, 0.1]);
    expect(units[0]).toBeCloseTo(0.6044, 4);
    expect(chances(network, units)[0]).toBeCloseTo(3.3494 / (3.3494 + 2.7183), 4);
  });

  test('as trained expects a steady link to go on, and an unsteady one to do anything', () => {
    const deviation = (...mbps: number[]) => {
      const inputs = networkInputs(linkHistory(samples(...mbps))!, 500_000);
      const shares = chances(fuguNetwork, hiddenUnits(fuguNetwork, inputs));
      const mean = shares.reduce((sum, share, index) => sum + share * Math.log(TIME_RATIOS[index]!), 0);
      return Math.sqrt(shares.reduce((sum, share, i) => sum + share * (Math.log(TIME_RATIOS[i]!) - mean) ** 2, 0));
    };
    expect(deviation(4, 4, 4, 4, 4)).toBeLessThan(0.7 * deviation(1, 9, 2, 8, 1));
  });
});

describe('rule', () => {
  const options = ladderOptions(thesisLadder, 4);
  const chosen = (change: Partial<DecisionState>) =>
    new Fugu().choose({
      ...{ segmentIndex: 9, segmentDuration: 4, bufferLevel: 16, bufferCapacity: 32, ladder: thesisLadder, options },
      ...{ throughput: 4e6, samples: samples(4, 4, 4, 4, 4), lastChoice: wholeSegment(options, 8) },
      ...change,
    }).option;

  test('takes what the link carries, less with little in the buffer', () => {
    expect(chosen({}).representation).toBeGreaterThan(6);
    expect(chosen({ bufferLevel: 4 }).bytes).toBeLessThan(chosen({}).bytes);
  });

  test('takes the lowest while nothing is known', () => {
    expect(chosen({ samples: [], throughput: undefined })).toBe(wholeSegment(options, 0));
  });
});
