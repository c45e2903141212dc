import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../random.js';
import { FqCodel } from './fq-codel.js';
import { Pie } from './pie.js';
import { DropTail, type Packet, type Queue } from './queue.js';

const nobody = { delivered: () => {}, acknowledged: () => {} };

const packet = (sequence: number, bucket = 0, arrivedAt = 0): Packet => ({
  bucket,
  sender: nobody,
  sequence,
  arrivedAt,
});

/** Everything that is in it, at that time. */
function drain(queue: Queue, now: number): Packet[] {
  const packets: Packet[] = [];
  for (let next = queue.dequeue(now); next; next = queue.dequeue(now)) packets.push(next);
  return packets;
}

/** `perMs` packets come and one leaves every millisecond; returns how many were lost of them. */
function overload(queue: Queue, { perMs, from, to }: { perMs: number; from: number; to: number }): number {
  let [sent, left] = [0, 0];
  for (let ms = from; ms < to; ms++) {
    for (let one = 0; one < perMs; one++) queue.enqueue(packet(sent++, 0, ms / 1000), ms / 1000);
    if (queue.dequeue(ms / 1000)) left++;
  }
  return sent - left - drain(queue, from / 1000).length;
}

describe('a queue', () => {
  it('that drops at its tail keeps the first, in their order', () => {
    const queue: Queue = new DropTail(3);
    for (let sequence = 0; sequence < 5; sequence++) queue.enqueue(packet(sequence), 0);
    expect(drain(queue, 0).map(({ sequence }) => sequence)).toEqual([0, 1, 2]);
  });

  it('of PIE lets a burst of 150 ms out of quiet through, and drops when the delay stays', () => {
    expect(overload(new Pie(10_000, seededRandom(1)), { perMs: 2, from: 0, to: 150 })).toBe(0);
    expect(overload(new Pie(10_000, seededRandom(1)), { perMs: 2, from: 0, to: 3000 })).toBeGreaterThan(300);
  });

  it('of FQ-CoDel serves flows in turn, whatever they have waiting', () => {
    const queue: Queue = new FqCodel(1000);
    for (let sequence = 0; sequence < 6; sequence++) queue.enqueue(packet(sequence, 1), 0);
    for (let sequence = 0; sequence < 2; sequence++) queue.enqueue(packet(sequence, 2), 0);
    expect(drain(queue, 0).map(({ bucket }) => bucket)).toEqual([1, 2, 1, 2, 1, 1, 1, 1]);
  });

  it('of FQ-CoDel drops nothing within 5 ms of delay, and after 100 ms above that drops', () => {
    const quick = new FqCodel(1000);
    expect(overload(quick, { perMs: 1, from: 0, to: 1000 })).toBe(0);
    expect(overload(new FqCodel(10_000), { perMs: 2, from: 0, to: 100 })).toBe(0);
    expect(overload(new FqCodel(10_000), { perMs: 2, from: 0, to: 1000 })).toBeGreaterThan(20);
  });

  it('of FQ-CoDel that is full drops from the flow that has most', () => {
    const queue: Queue = new FqCodel(5);
    for (let sequence = 0; sequence < 5; sequence++) queue.enqueue(packet(sequence, 1), 0);
    queue.enqueue(packet(0, 2), 0);
    expect(drain(queue, 0).map(({ bucket, sequence }) => [bucket, sequence])).toEqual([
      [1, 1],
      [2, 0],
      [1, 2],
      [1, 3],
      [1, 4],
    ]);
  });
});
