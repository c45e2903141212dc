import type { ByteRange } from '../../../src/manifest/byte-range.js';
import type { Random } from '../random.js';
import type { Burst } from './transport.js';

/** Payload of a datagram that every path takes. */
const DATAGRAM_BYTES = 1200;

/**
 * Which datagrams of these bursts are lost, as positions in whole bytes, ascending: of each burst as many as were lost of
 * it, in runs of about `run` datagrams, any of which are alike.
 */
export function lostDatagrams(bursts: readonly Burst[], random: Random): ByteRange[] {
  return bursts.flatMap(({ start, end, lost, run }) => {
    const count = Math.max(1, Math.round((end - start) / DATAGRAM_BYTES));
    const size = (end - start) / count;
    // On average exactly the share that was lost, whatever the rounding.
    const total = Math.min(count, Math.floor((count * lost) / (end - start) + random.uniform()));
    const runs = Math.ceil(total / run);
    const ranges: ByteRange[] = [];
    // Each run, and each datagram that arrives, is one of the places that are left.
    let places = count - total + runs;
    for (let index = 0, taken = 0, left = runs; left > 0; places--) {
      if (random.uniform() * places >= left) {
        index++;
        continue;
      }
      const length = Math.ceil((total - taken) / left);
      ranges.push({ start: Math.round(start + index * size), end: Math.round(start + (index + length) * size) });
      taken += length;
      index += length;
      left--;
    }
    return ranges;
  });
}
