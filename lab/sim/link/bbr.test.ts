import { describe, expect, it } from 'vitest';
import { Bbr } from './bbr.js';

const PACKET = 1000;

/** What a link of 100 packets in a round trip delivers; the rest queues, as far as `queue` packets. */
function play(bbr: Bbr, rounds: number, { queue = 1000, product = 100 } = {}) {
  const offers: number[] = [];
  let queued = 0;
  for (let round = 0; round < rounds; round++) {
    const offered = bbr.offer(queued);
    offers.push(offered / PACKET);
    const carried = Math.min(queued + offered, product * PACKET);
    queued = Math.min(queued + offered - carried, queue * PACKET);
    bbr.acknowledge(carried);
  }
  return { offers, queued: queued / PACKET };
}

describe('Bbr', () => {
  it('starts with ten packets and doubles in startup', () => {
    expect(play(new Bbr(PACKET), 3).offers.map(Math.round)).toEqual([10, 20, 40]);
  });

  it('settles at the rate of the link with less than a round trip of it queued', () => {
    const bbr = new Bbr(PACKET);
    play(bbr, 30);
    const { offers, queued } = play(bbr, 80);
    expect(offers.reduce((sum, offer) => sum + offer, 0) / offers.length).toBeCloseTo(100, -1);
    expect(queued).toBeLessThan(100);
  });

  it('probes for more and follows the link up', () => {
    const bbr = new Bbr(PACKET);
    play(bbr, 30);
    play(bbr, 60, { product: 200 });
    expect(bbr.offer(0) / PACKET).toBeGreaterThan(140);
  });

  it('follows the link down once its window of rates has passed', () => {
    const bbr = new Bbr(PACKET);
    play(bbr, 30);
    play(bbr, 30, { product: 20 });
    expect(bbr.offer(0) / PACKET).toBeLessThan(26);
  });

  it('is blind to 2 % of losses, and sends less after more', () => {
    const settled = () => {
      const bbr = new Bbr(PACKET);
      play(bbr, 30);
      return bbr;
    };
    const [untouched, blind, cautious] = [settled(), settled(), settled()];
    const lose = (bbr: Bbr, packets: number) => {
      for (let cycle = 0; cycle < 3; cycle++) {
        bbr.reduce(1, 8 * packets * PACKET);
        play(bbr, 8);
      }
      return bbr.offer(0);
    };
    const rate = lose(untouched, 0);
    expect(lose(blind, 2)).toBe(rate);
    expect(lose(cautious, 3)).toBeLessThan(0.9 * rate);
  });

  it('ends startup at high losses', () => {
    const bbr = new Bbr(PACKET);
    play(bbr, 2, { product: 1e6 });
    bbr.reduce(1, 10 * PACKET);
    const { offers } = play(bbr, 2, { product: 1e6 });
    expect(offers[1]).toBeLessThan(offers[0]!);
  });

  it('keeps its rate over a pause', () => {
    const bbr = new Bbr(PACKET);
    play(bbr, 30);
    const before = bbr.offer(0);
    bbr.rest();
    expect(bbr.offer(0)).toBe(before);
  });
});
