import { describe, expect, it } from 'vitest';
import { fixedConnections } from '../../strategies/connections.js';
import { VoxelConnections } from '../../strategies/voxel-connections.js';
import { seededRandom } from '../random.js';
import { median } from '../report/statistics.js';
import { Bottleneck } from './bottleneck.js';
import { play, QUEUES, steady, type QueueName } from './experiment.js';
import { Sender } from './sender.js';

const SECONDS = 60;

describe('a bottleneck', () => {
  /** Bit/s of each of so many flows without end, over 12 Mbit/s. */
  function ratesOf(queue: QueueName, flows: number): number[] {
    const link = new Bottleneck({ queue: QUEUES[queue](1), rate: 12e6, roundTrip: 0.02, random: seededRandom(1) });
    const senders = Array.from({ length: flows }, (_, bucket) => new Sender(link, { kind: 'tcp', bucket }));
    for (const sender of senders) sender.add(Infinity);
    link.runUntil(SECONDS);
    return senders.map(({ bytesDelivered }) => (bytesDelivered * 8) / SECONDS);
  }

  it.each(['FIFO', 'PIE', 'FQ-CoDel'] as const)(
    'with %s is full with six flows, and carries no more than it can',
    (queue) => {
      const sum = ratesOf(queue, 6).reduce((total, rate) => total + rate, 0);
      // Payload: 1448 of 1500 bytes.
      expect(sum).toBeGreaterThan(0.95 * 11.58e6);
      expect(sum).toBeLessThanOrEqual(11.59e6);
    },
  );

  it('with FQ-CoDel gives every flow the same', () => {
    const rates = ratesOf('FQ-CoDel', 6);
    expect(Math.max(...rates)).toBeLessThan(1.05 * Math.min(...rates));
  });
});

describe('a player beside bulk flows', () => {
  it('has N / (M + N) of a link with FQ-CoDel, less headers and the beginning of each segment', () => {
    for (const flows of [1, 4, 8]) {
      const { segments } = play({
        queue: 'FQ-CoDel',
        bulk: steady(6),
        seconds: SECONDS,
        seed: 1,
        flows: fixedConnections(flows),
      });
      const share = median(segments.map(({ rate }) => rate)) / 12e6;
      expect(share).toBeLessThan(flows / (6 + flows) + 0.01);
      expect(share).toBeGreaterThan(0.85 * (flows / (6 + flows)));
    }
  });

  it('loses less by a collision than one of its connections carries, where blocks are dealt out', () => {
    const rate = (collides: boolean) => {
      const { segments } = play({
        queue: 'FQ-CoDel',
        bulk: steady(8),
        seconds: SECONDS,
        seed: 1,
        flows: fixedConnections(6),
        collides,
      });
      return median(segments.map((segment) => segment.rate));
    };
    expect(rate(true)).toBeGreaterThan((1 - 1 / 6) * rate(false));
  });

  it('keeps to one connection under FIFO or PIE once their parts have shown that they share a queue', () => {
    const { segments } = play({ queue: 'PIE', bulk: steady(4), seconds: 90, seed: 1, flows: new VoxelConnections() });
    expect(segments.at(-1)!.flows).toBe(1);
  });

  it('plays the same again from the same seed', () => {
    const once = () =>
      play({ queue: 'PIE', bulk: steady(2), seconds: SECONDS, seed: 7, flows: new VoxelConnections() });
    expect(once()).toEqual(once());
  });
});
