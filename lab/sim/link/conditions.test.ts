import { describe, expect, it } from 'vitest';
import { CONDITION_GENERATORS } from './condition-generators.js';
import { parseConditions } from './conditions.js';
import { makeTrace, parseCsvTrace, underRecord, withConditions } from './trace.js';

const RECORD = { name: 'record', step: 1, conditions: [10, 20, 30].map((delayMs) => ({ delayMs, lossPercent: 0 })) };

const delays = ({ conditions = [] }: ReturnType<typeof withConditions>) => conditions.map(({ delayMs }) => delayMs);

describe('a .csv trace', () => {
  it('may have delay and losses of each second', () => {
    const text = 'second, mbps, delay_ms, loss_percent\n0, 1, 12.5, 0\n1, 2, 40, 55\n';
    expect(parseCsvTrace('a', text)).toMatchObject({
      rates: Float64Array.of(1e6, 2e6),
      conditions: [
        { delayMs: 12.5, lossPercent: 0 },
        { delayMs: 40, lossPercent: 55 },
      ],
    });
    expect(parseCsvTrace('a', 'second,mbps,delay_ms,loss_percent,mean_burst\n0,1,5,10,4\n').conditions).toEqual([
      { delayMs: 5, lossPercent: 10, meanBurst: 4 },
    ]);
    expect(parseCsvTrace('a', 'second,mbps\n0,1\n')).not.toHaveProperty('conditions');
  });

  it.each([
    ['second,mbps,delay_ms\n0,1,5\n', 'a:1: the header must be second,mbps[,delay_ms,loss_percent[,mean_burst]], got'],
    ['second,mbps,delay_ms,loss_percent\n0,1,5\n', 'a:2: not 4 numbers'],
    ['second,mbps,delay_ms,loss_percent\n0,1,-5,0\n', 'a:2: delay_ms must be from 0 to 60000, got -5'],
    ['second,mbps,delay_ms,loss_percent\n0,1,5,101\n', 'a:2: loss_percent must be from 0 to 100, got 101'],
    ['second,mbps,delay_ms,loss_percent,mean_burst\n0,1,5,1,.5\n', 'a:2: mean_burst must be from 1 to 10000, got 0.5'],
    ['second,mbps,delay_ms,loss_percent,mean_burst\n0,1,5,90,2\n', 'a:2: bursts of 2 packets lose at most 66.67 %'],
  ])('says what is wrong with %s', (text, message) => {
    expect(() => parseCsvTrace('a', text)).toThrow(message);
  });
});

describe('a record of conditions', () => {
  it('is read without rates', () => {
    expect(parseConditions('r', 'second,delay_ms,loss_percent\n0,13,0\n1,14,2\n')).toEqual({
      ...{ name: 'r', step: 1 },
      conditions: [
        { delayMs: 13, lossPercent: 0 },
        { delayMs: 14, lossPercent: 2 },
      ],
    });
    expect(() => parseConditions('r', 'second,mbps\n0,1\n')).toThrow('r:1: the header must be second,delay_ms');
    expect(() => parseConditions('r', 'second,delay_ms,loss_percent\n')).toThrow('r: the record is empty');
  });

  it('lies under traces of longer and shorter steps, and repeats', () => {
    const coarse = withConditions(makeTrace('coarse', 2, [1e6, 2e6]), RECORD, 1);
    expect([coarse.step, ...coarse.rates]).toEqual([1, 1e6, 1e6, 2e6, 2e6]);
    expect(delays(coarse)).toEqual([20, 30, 10, 20]);
    const fine = makeTrace('fine', 0.5, [1e6, 2e6, 3e6]);
    expect(withConditions(fine, RECORD, 0.5)).toMatchObject({ step: 0.5, rates: fine.rates });
    expect(delays(withConditions(fine, RECORD, 0.5))).toEqual([10, 20, 20]);
  });

  it('goes on from trace to trace', () => {
    const traces = underRecord([makeTrace('a', 1, [1e6, 1e6]), makeTrace('b', 1, [1e6, 1e6])], RECORD);
    expect(traces.map(delays)).toEqual([
      [10, 20],
      [30, 10],
    ]);
    expect(() => underRecord(traces, RECORD)).toThrow('a: has delays and losses of its own');
  });
});

describe('satellite-like', () => {
  it('has the shares of the record that it imitates, in spells, the same for the same seed', () => {
    const make = CONDITION_GENERATORS['satellite-like'];
    const { conditions } = make(1);
    expect(conditions).toEqual(make(1).conditions);
    const losses = conditions.map(({ lossPercent }) => lossPercent);
    const dirty = losses.filter((loss) => loss > 0);
    const spells = losses.filter((loss, second) => loss > 0 && !losses[second - 1]).length;
    expect(dirty.length / losses.length).toBeCloseTo(0.022, 2);
    expect(dirty.length / spells).toBeCloseTo(2.2, 0);
    const mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
    expect(Math.abs(mean - 0.14)).toBeLessThan(0.04);
  });
});
