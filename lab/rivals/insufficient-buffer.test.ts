import { expect, test } from 'vitest';
import { InsufficientBufferRule } from './insufficient-buffer.js';
import type { Option } from '../../src/abr-star/types.js';

const options: Option[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((megabytes, representation) => ({
  ...{ representation, level: 0, score: representation, bytes: megabytes * 1e6, reliableBytes: 0 },
}));
const highest = options.at(-1)!;

test('counts on 0.9 of what arrives while the buffer lasts, then less and less down to half', () => {
  const rule = new InsufficientBufferRule();
  // 80 Mbit: 10 MB.
  const link = { throughput: 8e6, bufferLevel: 10 };
  const chosen = Array.from({ length: 12 }, () => rule.limit(options, highest, link).bytes / 1e6);
  expect(chosen).toEqual([9, 8, 7, 6, 5, 5, 5, 5, 5, 5, 5, 5]);
  rule.reset();
  expect(rule.limit(options, highest, link).bytes).toBe(9e6);
});

test('leaves alone what is safe, and has nothing below the smallest', () => {
  const rule = new InsufficientBufferRule();
  expect(rule.limit(options, options[2]!, { throughput: 8e6, bufferLevel: 10 })).toBe(options[2]);
  expect(rule.limit(options, highest, { throughput: 8e6, bufferLevel: 0 })).toBe(options[0]);
});
