import { decode } from '../../coding/cauchy.js';
import { blocksOf, parityAt, parityEnd, type Block, type Parity } from '../../coding/symbols.js';
import type { ByteRange } from '../../manifest/byte-range.js';
import type { AssemblyPart } from './assembly-part.js';

/** A block while its response comes. */
interface OpenBlock extends Block {
  /** None once no more comes. */
  parity: number;
  /** Place of its first byte in the order of sending, in which a block's parity follows its data. */
  readonly sentAt: number;
  /** Parity that is here, by number. */
  readonly came: Map<number, Uint8Array>;
  /** Numbers of the parity symbols that are lost or were not sent. */
  readonly missed: Set<number>;
  /** Data that are lost, which parity may still fill. */
  lost: readonly ByteRange[];
  /** More is lost than its parity can fill: nothing of it waits for that any more. */
  isGivenUp: boolean;
}

/**
 * The blocks of one body that travels as datagrams: takes their parity, fills what is lost and says what cannot be filled.
 * Places are those of the body, and what parity has beyond it.
 */
export class ParityBlocks {
  readonly #part: AssemblyPart;
  readonly #blocks: readonly OpenBlock[];
  /** Bytes of parity here. */
  bytes = 0;

  /** `parity`: as asked for. Undefined: none, and all datagrams beyond the body are ignored. */
  constructor(part: AssemblyPart, parity: Parity | undefined) {
    this.#part = part;
    const blocks = parity
      ? blocksOf(
          part.fileRanges().map(({ start, end }) => end - start),
          parity,
        )
      : blocksOf([part.length], { amounts: [0], block: 1, symbol: part.length });
    let sentAt = 0;
    this.#blocks = blocks.map((block) => {
      const open = { ...block, sentAt, came: new Map(), missed: new Set<number>(), lost: [], isGivenUp: false };
      sentAt += block.end - block.start + block.parity * block.symbolBytes;
      return open;
    });
  }

  /** The end of all data and parity. */
  get end(): number {
    return parityEnd(this.#blocks.at(-1)!);
  }

  /** Place of a datagram in the order of sending; undefined when it is not to be used. */
  placeInOrder(offset: number, length: number): ByteRange | undefined {
    const end = offset + length;
    if (end <= this.#part.length) {
      const start = this.#dataInOrder(offset);
      return { start, end: length > 0 ? this.#dataInOrder(end - 1) + 1 : start };
    }
    const symbols = parityAt(this.#blocks, offset, length);
    if (!symbols) return undefined;
    const start = parityInOrder(this.#blocks[symbols.block]!, symbols.first);
    return { start, end: start + length };
  }

  /** End of the order of sending when so many bytes of the body were sent: after the parity of the last block that is whole. */
  endInOrder(sent: number): number {
    if (sent === 0) return 0;
    const block = this.#blockOf(sent - 1);
    return sent === block.end ? parityInOrder(block, block.parity) : this.#dataInOrder(sent - 1) + 1;
  }

  /**
   * Takes a datagram that has come (data are in their place already). Returns what its block's parity fills now: places and
   * bytes of the body that are not here.
   */
  fill(offset: number, payload: Uint8Array): [offset: number, bytes: Uint8Array][] {
    const block = offset < this.#part.length ? this.#blockOf(offset) : this.#take(offset, payload);
    if (!block || block.came.size === 0) return [];
    const missing = symbolsIn(block, this.#part.missing(block.start, block.end));
    if (missing.size === 0 || missing.size > block.came.size) return [];
    // The last ones may be short or empty.
    const at = (index: number): number => Math.min(block.end, block.start + index * block.symbolBytes);
    const symbols = Array.from({ length: block.symbols }, (_, index) => ({ start: at(index), end: at(index + 1) }));
    const filled = decode(
      symbols.map(({ start, end }, index) => (missing.has(index) ? undefined : this.#part.read(start, end))),
      block.came,
    );
    return [...(filled ?? [])].flatMap(([index, bytes]) => {
      const { start, end } = symbols[index]!;
      return this.#part
        .missing(start, end)
        .map((gap): [number, Uint8Array] => [gap.start, bytes.subarray(gap.start - start, gap.end - start)]);
    });
  }

  /** What of the body no parity will fill, given what is lost by its place in the order of sending. Each byte is given once. */
  lost(places: readonly ByteRange[]): ByteRange[] {
    return this.#blocks.flatMap((block) => {
      for (const place of places) noteLost(block, place);
      if (block.lost.length === 0) return [];
      block.lost = block.lost.flatMap(({ start, end }) => this.#part.missing(start, end));
      block.isGivenUp ||= symbolsIn(block, block.lost).size > block.parity - block.missed.size;
      if (!block.isGivenUp) return [];
      const { lost } = block;
      block.lost = [];
      return lost;
    });
  }

  /** No more parity comes, and what is lost need not wait for it. */
  close(): void {
    for (const block of this.#blocks) block.parity = 0;
  }

  /** The block of these parity symbols, which it has now; undefined: there is none. */
  #take(offset: number, payload: Uint8Array): OpenBlock | undefined {
    const symbols = parityAt(this.#blocks, offset, payload.length);
    if (!symbols) return undefined;
    const block = this.#blocks[symbols.block]!;
    for (let index = 0; index < symbols.count; index++) {
      const number = symbols.first + index;
      if (block.came.has(number)) continue;
      block.came.set(number, payload.subarray(index * block.symbolBytes, (index + 1) * block.symbolBytes));
      block.missed.delete(number);
      this.bytes += block.symbolBytes;
    }
    return block;
  }

  #dataInOrder(offset: number): number {
    const { start, sentAt } = this.#blockOf(offset);
    return sentAt + offset - start;
  }

  /** The last one for what is beyond them. */
  #blockOf(offset: number): OpenBlock {
    return this.#blocks.find(({ end }) => offset < end) ?? this.#blocks.at(-1)!;
  }
}

function parityInOrder({ start, end, sentAt, symbolBytes }: OpenBlock, number: number): number {
  return sentAt + end - start + number * symbolBytes;
}

/** Notes what of a block is within a loss. */
function noteLost(block: OpenBlock, place: ByteRange): void {
  const shift = block.start - block.sentAt;
  const start = Math.max(block.start, place.start + shift);
  const end = Math.min(block.end, place.end + shift);
  if (end > start) block.lost = [...block.lost, { start, end }];
  const sentAt = parityInOrder(block, 0);
  const first = Math.max(0, Math.floor((place.start - sentAt) / block.symbolBytes));
  for (let number = first; number < block.parity && parityInOrder(block, number) < place.end; number++) {
    if (!block.came.has(number)) block.missed.add(number);
  }
}

/** Numbers of the symbols that these ranges of the body touch. */
function symbolsIn({ start, symbolBytes }: Block, ranges: readonly ByteRange[]): Set<number> {
  const symbols = new Set<number>();
  for (const range of ranges) {
    for (let at = Math.floor((range.start - start) / symbolBytes); start + at * symbolBytes < range.end; at++)
      symbols.add(at);
  }
  return symbols;
}
