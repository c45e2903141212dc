/** The parity that a request asks for, as in `x-voxel-parity` (docs/PROTOCOL.md). */
export interface Parity {
  /** Parity symbols of each block, 0 … 64; the last number holds for all further blocks. At most 64 numbers. */
  readonly amounts: readonly number[];
  /** Data symbols of a block, 1 … 192. */
  readonly block: number;
  /** Bytes of a symbol, 64 … 1400. Undefined: every range of the request is a block, of symbols of equal length. */
  readonly symbol?: number | undefined;
  /** Sent whatever the link does. */
  readonly always?: boolean | undefined;
}

/** Bytes of a symbol: what a packet of 1200 bytes, which is always safe, has room for beside its headers. */
export const SAFE_SYMBOL = 1150;

/** Bytes of the longest range that may be asked for: where a range is a block, its symbols must fit datagrams. */
export function longestRange(parity: Parity | undefined): number {
  return parity && parity.symbol === undefined ? parity.block * SAFE_SYMBOL : Infinity;
}

/** The parity of a body's part that begins so many bytes behind the beginning of the body. */
export function parityFrom(parity: Parity, offset: number): Parity {
  const { amounts, block, symbol } = parity;
  if (symbol === undefined) return parity;
  return { ...parity, amounts: amounts.slice(Math.min(Math.floor(offset / (block * symbol)), amounts.length - 1)) };
}

/** Data that are coded together: `[start, end)` of the body. Symbols that reach beyond `end` count as filled up with zeros. */
export interface Block {
  readonly start: number;
  readonly end: number;
  /** How many data symbols it has. */
  readonly symbols: number;
  readonly symbolBytes: number;
  /** How many parity symbols were asked for, and where in the flow they stand, one after the other. */
  readonly parity: number;
  readonly parityStart: number;
}

/** The blocks of a body, which is the concatenation of ranges of these lengths. */
export function blocksOf(rangeLengths: readonly number[], { amounts, block, symbol }: Parity): Block[] {
  const length = rangeLengths.reduce((sum, range) => sum + range, 0);
  const size = symbol === undefined ? undefined : block * symbol;
  const lengths =
    size === undefined
      ? rangeLengths
      : Array.from({ length: Math.ceil(length / size) }, (_, index) => Math.min(size, length - index * size));
  let start = 0;
  let parityStart = symbol === undefined ? length : Math.ceil(length / symbol) * symbol;
  return lengths.map((bytes, index) => {
    const symbolBytes = symbol ?? Math.ceil(bytes / block);
    const placed: Block = {
      start,
      end: start + bytes,
      symbols: symbol === undefined ? block : Math.ceil(bytes / symbol),
      symbolBytes,
      parity: amounts[Math.min(index, amounts.length - 1)]!,
      parityStart,
    };
    start = placed.end;
    parityStart += placed.parity * symbolBytes;
    return placed;
  });
}

/** Which parity symbols a datagram carries. */
export interface ParitySymbols {
  /** Number of their block. */
  readonly block: number;
  /** Number of the first, and how many they are. */
  readonly first: number;
  readonly count: number;
}

/** Undefined for a datagram that is not made up of whole parity symbols of one block. */
export function parityAt(blocks: readonly Block[], offset: number, length: number): ParitySymbols | undefined {
  const index = blocks.findIndex((block) => offset >= block.parityStart && offset < parityEnd(block));
  const block = blocks[index];
  if (!block || length === 0 || offset + length > parityEnd(block)) return undefined;
  const first = (offset - block.parityStart) / block.symbolBytes;
  const count = length / block.symbolBytes;
  return Number.isInteger(first) && Number.isInteger(count) ? { block: index, first, count } : undefined;
}

/** Where the parity of a block ends. */
export function parityEnd({ parity, parityStart, symbolBytes }: Block): number {
  return parityStart + parity * symbolBytes;
}
