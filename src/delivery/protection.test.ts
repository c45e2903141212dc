import { describe, expect, it } from 'vitest';
import { frameParity, noParity, parityForTheTail, residualLoss, type ProtectionNeed } from './protection.js';

/**
 * Ten blocks of 128 symbols of 1150 bytes, of which nothing that is lost could be asked for again in time, on a link that has time
 * for thirty times as much.
 */
const need: ProtectionNeed = {
  bytesReliable: 0,
  bytesUnreliable: 10 * 128 * 1150,
  deadline: 2300,
  throughput: 400e6,
  roundTrip: 1000,
  lossRate: 0.05,
};

const amountsFor = (change: Partial<ProtectionNeed>) => parityForTheTail({ ...need, ...change })?.amounts;

describe('residualLoss', () => {
  it.each([
    ['is the loss rate without parity', 128, 0, 0.05, 0.05],
    ['is nothing without loss', 128, 4, 0, 0],
    ['needs both lost where one symbol has one of parity', 1, 1, 0.1, 0.01],
    // By hand: two of three are lost (3·0.01·0.9, two thirds of a block) or all (0.001).
    ['counts what is lost of blocks that cannot be filled', 2, 1, 0.1, (0.027 * 2) / 3 + 0.001],
  ])('%s', (_what, symbols, parity, lossRate, expected) => {
    expect(residualLoss(symbols, parity, lossRate)).toBeCloseTo(expected, 10);
  });
});

describe('parityForTheTail', () => {
  it.each([
    ['no loss has been seen', { lossRate: 0 }],
    ['nothing is known of losses', { lossRate: undefined }],
    ['there is no deadline', { deadline: undefined }],
    ['the rate is unknown', { throughput: undefined }],
    ['everything lost can be asked for in time', { deadline: 5000 }],
    ['nothing is asked for as datagrams', { bytesUnreliable: 0 }],
    ['so little is lost that it may stay lost', { lossRate: 0.0009 }],
  ])('is none where %s', (_what, change) => {
    expect(parityForTheTail({ ...need, ...change })).toBeUndefined();
  });

  it.each([
    // Loss rate, overhead over all blocks, and the residual loss over all of them.
    [0.003, 0.004, 0.002],
    [0.013, 0.028, 0.0025],
    [0.05, 0.095, 0.0028],
    [0.1, 0.183, 0.0027],
  ])('keeps the loss of %d low: overhead %d, residual %d', (lossRate, overhead, residual) => {
    const amounts = amountsFor({ lossRate })!;
    const sum = amounts.reduce((total, amount) => total + amount, 0);
    expect(sum / 1280).toBeLessThanOrEqual(overhead);
    const left = amounts.map((amount) => residualLoss(128, amount, lossRate));
    expect(left.reduce((total, one) => total + one, 0) / 10).toBeLessThanOrEqual(residual);
    expect(left[0]).toBeLessThanOrEqual(0.001);
    expect(left[9]).toBeLessThanOrEqual(0.01);
    // More for more valuable blocks.
    expect(amounts).toEqual([...amounts].sort((a, b) => b - a));
    expect(amounts[0]).toBeGreaterThan(amounts[9]!);
  });

  it('does at 5 % what 18 + 6 does for frames of many packets, with a third of its overhead', () => {
    expect(residualLoss(18, 6, 0.05)).toBeCloseTo(3.77e-5, 6);
    // A frame of three packets, which six shards each share, is lost with the second of them.
    expect(residualLoss(3, 1, 0.05)).toBeGreaterThan(0.007);
    expect(amountsFor({})!.reduce((total, amount) => total + amount, 0) / 1280).toBeLessThan(6 / 18 / 3);
  });

  it('begins with zeros where losses of the first blocks can be asked for in time', () => {
    // 50 000 bytes a ms for 2400 ms less 2.375 round trips: 1 250 000 bytes, so eight and a half blocks.
    const amounts = amountsFor({ deadline: 2400 })!;
    expect(amounts.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => 0));
    expect(amounts[8]).toBeGreaterThan(0);
    // The reliable bytes go first.
    expect(amountsFor({ deadline: 2400, bytesReliable: 1_250_000 })!.findIndex((amount) => amount > 0)).toBe(0);
  });

  it('begins where the tail does, however little is before it', () => {
    // 1 250 000 bytes less these are 40 symbols.
    const parity = parityForTheTail({ ...need, deadline: 2400, bytesReliable: 1_250_000 - 40 * 1150 })!;
    expect(parity.block).toBe(40);
    expect(parity.amounts.findIndex((amount) => amount > 0)).toBe(1);
  });

  it('takes no time that video needs, and what there is for what is worth most', () => {
    const wanted = amountsFor({})!;
    // 0.8 of what comes in 1.3 s.
    const throughputFor = (bytes: number) => (bytes * 8) / (0.8 * 1.3);
    const spared = (symbols: number) => amountsFor({ throughput: throughputFor((1280 + symbols + 0.5) * 1150) });
    expect(spared(-100)).toBeUndefined();
    expect(spared(0)).toBeUndefined();
    expect(spared(wanted[0]! + 2)).toEqual([wanted[0], 2, ...Array.from({ length: 8 }, () => 0)]);
  });

  it('never asks for more than a third of the data', () => {
    const amounts = amountsFor({ lossRate: 0.6 })!;
    expect(amounts).toEqual(amounts.map(() => 43));
    expect(43).toBe(Math.ceil(128 / 3));
  });

  it('has at most 64 amounts, the last of which holds for all further blocks', () => {
    expect(amountsFor({ bytesUnreliable: 200 * 128 * 1150 })).toHaveLength(64);
  });

  it('asks less for a last block that is short', () => {
    const amounts = amountsFor({ bytesUnreliable: (128 + 10) * 1150 })!;
    expect(amounts).toHaveLength(2);
    expect(amounts[1]).toBeLessThanOrEqual(4);
    expect(amounts[1]).toBeGreaterThan(0);
  });
});

it('gives every frame of ClipStreamFEC 18 and 6 symbols, and others nothing', () => {
  expect(frameParity(need)).toEqual({ amounts: [6], block: 18, always: true });
  expect(noParity(need)).toBeUndefined();
});
