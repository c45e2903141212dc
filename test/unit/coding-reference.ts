import type { Block, Parity } from '../../src/coding/symbols.js';

/** The code and the layout of parity as docs/PROTOCOL.md says them, without anything that makes them fast. */

/** Product in GF(2^8), polynomial 0x11d. */
export function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 0; bit < 8; bit++) {
    if ((b >> bit) & 1) product ^= a << bit;
  }
  for (let bit = 14; bit >= 8; bit--) {
    if ((product >> bit) & 1) product ^= 0x11d << (bit - 8);
  }
  return product;
}

function inverse(a: number): number {
  for (let b = 1; b < 256; b++) if (multiply(a, b) === 1) return b;
  throw new RangeError('0 has no inverse');
}

export function parityOf(data: readonly Uint8Array[], count: number, symbolBytes: number): Uint8Array[] {
  return Array.from({ length: count }, (_, j) =>
    Uint8Array.from({ length: symbolBytes }, (_, at) =>
      data.reduce((sum, symbol, i) => sum ^ multiply(symbol[at] ?? 0, inverse((255 - j) ^ i)), 0),
    ),
  );
}

/** Byte by byte: each goes to the block that is open, which ends when it is full or its range ends. */
export function layout(ranges: readonly number[], { amounts, block, symbol }: Parity): Block[] {
  const total = ranges.reduce((sum, length) => sum + length, 0);
  const ends: number[] = [];
  let at = 0;
  for (const length of ranges) {
    for (let byte = 0; byte < length; byte++) {
      at++;
      if (symbol === undefined ? byte === length - 1 : at === total || at % (block * symbol) === 0) ends.push(at);
    }
  }
  let parityStart = total;
  while (symbol !== undefined && parityStart % symbol !== 0) parityStart++;
  const blocks: Block[] = [];
  for (const end of ends) {
    const start = blocks.at(-1)?.end ?? 0;
    const symbolBytes = symbol ?? Math.ceil((end - start) / block);
    const symbols = symbol === undefined ? block : Math.ceil((end - start) / symbol);
    const parity = amounts[blocks.length] ?? amounts.at(-1)!;
    blocks.push({ start, end, symbols, symbolBytes, parity, parityStart });
    parityStart += parity * symbolBytes;
  }
  return blocks;
}
