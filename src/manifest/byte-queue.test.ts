import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteQueue } from './byte-queue.js';

test('what is taken from the front is what was put in, in order', () => {
  const step = fc.tuple(fc.nat(5000), fc.double({ min: 0, max: 1, noNaN: true }));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const queue = new ByteQueue();
      let expected: number[] = [];
      let next = 0;
      for (const [count, share] of steps) {
        const piece = Array.from({ length: count }, () => next++ % 251);
        queue.append(Uint8Array.from(piece));
        expected = [...expected, ...piece];
        expect([...queue.bytes]).toEqual(expected);
        const taken = Math.floor(share * expected.length);
        queue.consume(taken);
        expected = expected.slice(taken);
        expect(queue.bytes.length).toBe(expected.length);
      }
    }),
    { numRuns: 30 },
  );
});

test.each([-1, 4, NaN])('%d of three bytes cannot be taken', (count) => {
  const queue = new ByteQueue();
  queue.append(Uint8Array.of(1, 2, 3));
  expect(() => queue.consume(count)).toThrow(RangeError);
});
