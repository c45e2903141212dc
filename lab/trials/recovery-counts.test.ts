import { expect, it } from 'vitest';
import { NO_COUNTS } from '../../src/delivery/index.js';
import { countRecovery } from './recovery-counts.js';

const whole = {
  transport: 'datagrams' as const,
  ...NO_COUNTS,
  bytesReliable: 200,
  bytesUnreliable: 800,
  bytesRefetched: 0,
};

it('counts nothing where nothing was lost', () => {
  expect(countRecovery([whole, { ...whole, transport: 'streams' }])).toEqual({
    datagrams: 0.5,
    gapsAtAppend: 0,
    appendedTwice: 0,
    repeatedOverLost: null,
    bytesRecovered: 0,
    bytesDecoded: 0,
    bytesParity: 0,
    redundant: 0,
  });
});

it('has what was lost on the way over what was asked for again, in flight and later', () => {
  // 50 lost, of which 30 were back in time; 40 asked for again in flight, and 15 of the other 20 in a pause.
  const recovered = {
    ...whole,
    ...{ bytesUnreliable: 795, bytesLost: 5, bytesRepeated: 40, bytesRecovered: 30, bytesRefetched: 15 },
    firstPass: { bytesLost: 20, framesRepaired: 1 },
  };
  const counts = countRecovery([recovered, whole]);
  expect(counts.gapsAtAppend).toBe(20 / 2000);
  expect(counts.appendedTwice).toBe(0.5);
  expect(counts.repeatedOverLost).toBe((40 + 15) / 50);
  expect(counts.bytesRecovered).toBe(30);
  expect(counts.datagrams).toBe(1);
});

it('takes what parity filled for lost, too', () => {
  const decoded = { ...whole, bytesRepeated: 10, bytesRecovered: 10, bytesDecoded: 30, bytesParity: 60 };
  expect(countRecovery([decoded])).toMatchObject({
    repeatedOverLost: 10 / 40,
    bytesDecoded: 30,
    bytesParity: 60,
    redundant: (60 + 10) / 1000,
  });
});

it('does not count as datagrams what was left out and fetched later', () => {
  const filled = { ...whole, bytesRefetched: 200, firstPass: { bytesLost: 0, framesRepaired: 0 } };
  expect(countRecovery([filled]).datagrams).toBe(600 / 800);
});

it('has no share of datagrams where all bytes are reliable', () => {
  expect(countRecovery([{ ...whole, bytesReliable: 1000, bytesUnreliable: 0 }]).datagrams).toBeNull();
});
