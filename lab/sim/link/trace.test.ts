import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../tools/setup/process.mjs';
import {
  meanRate,
  offsetToMean,
  parseCsvTrace,
  parseMahimahiTrace,
  parseRateTrace,
  parseSumTrace,
  traceDuration,
} from './trace.js';

describe('trace formats', () => {
  it('reads second,mbps', () => {
    const trace = parseCsvTrace('a', 'second,mbps\n0,1.5\n1,0\n2,3\n');
    expect([...trace.rates]).toEqual([1.5e6, 0, 3e6]);
    expect(traceDuration(trace)).toBe(3);
  });

  it('takes the step from the seconds', () => {
    expect(parseCsvTrace('a', 'second,mbps\n5,1\n5.5,2\n6,3\n')).toMatchObject({ step: 0.5 });
  });

  it('reads bytes per second, with or without a last newline', () => {
    expect([...parseSumTrace('a', '1 125000\n2 250000').rates]).toEqual([1e6, 2e6]);
  });

  it('holds the rate before where a second is left out', () => {
    expect([...parseRateTrace('a', '0.000000 43\n1.000000 76.5\n3.000000 0.07\n').rates]).toEqual(
      [43, 76.5, 76.5, 0.07].map((mbps) => mbps * 1e6),
    );
  });

  it('counts the packets of a Mahimahi file', () => {
    const trace = parseMahimahiTrace('a', '0\n10\n10\n150\n200\n');
    expect([...trace.rates]).toEqual([3, 2].map((packets) => (packets * 1500 * 8) / 0.1));
  });

  it.each([
    ['no header', parseCsvTrace, '0,1\n'],
    ['not a number', parseCsvTrace, 'second,mbps\n0,fast\n'],
    ['a missing column', parseCsvTrace, 'second,mbps\n0\n'],
    ['seconds that jump', parseCsvTrace, 'second,mbps\n0,1\n1,1\n3,1\n'],
    ['seconds that go back', parseCsvTrace, 'second,mbps\n1,1\n0,1\n'],
    ['a negative rate', parseCsvTrace, 'second,mbps\n0,-1\n'],
    ['a link that carries nothing', parseSumTrace, '1 0\n2 0\n'],
    ['seconds that do not begin at 0', parseRateTrace, '1 5\n2 5\n'],
    ['a second twice', parseRateTrace, '0 5\n0 5\n'],
    ['years that are left out', parseRateTrace, '0 5\n1e12 5\n'],
    ['a third column', parseRateTrace, '0 5 5\n'],
    ['an empty file', parseMahimahiTrace, ''],
    ['times that go back', parseMahimahiTrace, '5\n4\n'],
  ])('refuses %s in one line', (_, parse, text) => {
    expect(() => parse('bad', text)).toThrow(UserError);
    expect(() => parse('bad', text)).toThrow(/^bad.*$/);
  });

  it('turns any text into a usable trace or a UserError', () => {
    const line = fc.oneof(
      fc.string(),
      fc.tuple(fc.integer(), fc.float()).map((pair) => pair.join(',')),
      fc.nat().map(String),
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 8 }),
        fc.constantFrom(parseCsvTrace, parseSumTrace, parseRateTrace, parseMahimahiTrace),
        (lines, parse) => {
          try {
            const trace = parse('x', ['second,mbps', ...lines].slice(parse === parseCsvTrace ? 0 : 1).join('\n'));
            expect(meanRate(trace)).toBeGreaterThan(0);
          } catch (error) {
            expect(error).toBeInstanceOf(UserError);
          }
        },
      ),
    );
  });
});

describe('offsetToMean', () => {
  it('adds the same to every rate', () => {
    const trace = offsetToMean(parseCsvTrace('a', 'second,mbps\n0,2\n1,4\n'), 10e6);
    expect([...trace.rates]).toEqual([9e6, 11e6]);
  });

  it('never goes below a packet a second', () => {
    const trace = offsetToMean(parseCsvTrace('a', 'second,mbps\n0,0\n1,10\n'), 1e6);
    expect([...trace.rates]).toEqual([12_000, 6e6]);
  });
});
