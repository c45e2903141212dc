/** Bytes of video in a QUIC datagram, about. */
const PACKET = 1150;

/**
 * What a link that drops the share `loss` of its packets would lose of these ranges of a segment: ranges again. The same numbers of
 * `random` lose the same.
 */
export function lose(ranges, loss, random) {
  return ranges.flatMap(({ start, end }) => {
    const lost = [];
    for (let at = start; at < end; at += PACKET) {
      if (random() < loss) lost.push({ start: at, end: Math.min(at + PACKET, end) });
    }
    return lost;
  });
}

/** A function that returns numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
