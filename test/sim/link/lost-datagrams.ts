import type { ByteRange } from '../../../src/manifest/byte-range.js';
import type { Random } from '../random.js';
import type { Burst } from './transport.js';

/** Payload of a datagram that every path takes. */
const DATAGRAM_BYTES = 1200;

/**
 * Which datagrams of these bursts are lost, as positions in whole bytes, ascending: of each burst as many as were lost of
 * it, any of them alike.
 */
export function lostDatagrams(bursts: readonly Burst[], random: Random): ByteRange[] {
  return bursts.flatMap(({ start, end, lost }) => {
    const count = Math.max(1, Math.round((end - start) / DATAGRAM_BYTES));
    const size = (end - start) / count;
    // On average exactly the share that was lost, whatever the rounding.
    let left = Math.floor((count * lost) / (end - start) + random.uniform());
    const ranges: ByteRange[] = [];
    for (let index = 0; index < count && left > 0; index++) {
      if (random.uniform() * (count - index) >= left) continue;
      left--;
      ranges.push({ start: Math.round(start + index * size), end: Math.round(start + (index + 1) * size) });
    }
    return ranges;
  });
}
