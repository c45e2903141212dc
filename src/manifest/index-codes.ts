import { ManifestError } from './errors.js';

const PARAMETER_BITS = 5;
/** Keeps every number a safe integer. */
const MAX_PARAMETER = 20;
/** A mark in place of a parameter: all numbers of the list are the one that follows. */
const CONSTANT = 31;
/** ue(v) reaches 2^32 - 2 at most (H.264 §9.1). */
const MAX_GOLOMB_ZEROS = 31;

/**
 * Reads the bits of an index, from the most significant one on. Every method throws `ManifestError` past the end and for
 * what no index holds. docs/MANIFEST.md has the codes.
 */
export class IndexReader {
  #position = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** True when nothing but the padding of the last byte is left. */
  get isAtEnd(): boolean {
    return Math.ceil(this.#position / 8) === this.bytes.length;
  }

  /** The next `count` bits as an unsigned number. */
  bits(count: number): number {
    if (this.#position + count > 8 * this.bytes.length) throw new ManifestError('index', 'the index ends too early');
    let value = 0;
    for (let left = count; left > 0;) {
      const unread = 8 - (this.#position % 8);
      const taken = Math.min(unread, left);
      const byte = this.bytes[Math.floor(this.#position / 8)]!;
      // Not shifted: a shift would keep 32 bits only.
      value = value * 2 ** taken + ((byte >> (unread - taken)) & ((1 << taken) - 1));
      this.#position += taken;
      left -= taken;
    }
    return value;
  }

  /** Unsigned Exp-Golomb code (H.264 §9.1). `limit`: the largest number that makes sense here. */
  count(limit = Infinity): number {
    let zeros = 0;
    while (this.bits(1) === 0) {
      if (++zeros > MAX_GOLOMB_ZEROS) throw new ManifestError('index', 'a number is too large');
    }
    const value = 2 ** zeros + this.bits(zeros) - 1;
    if (value > limit) throw new ManifestError('index', `${value} where ${limit} is the most`);
    return value;
  }

  /** Exp-Golomb code with so many low bits as they are. */
  number(parameter: number): number {
    const high = this.count();
    return high * 2 ** parameter + this.bits(parameter);
  }

  /** `count` numbers with a parameter of their own. */
  list(count: number): number[] {
    if (count === 0) return [];
    const parameter = this.bits(PARAMETER_BITS);
    if (parameter === CONSTANT) return new Array<number>(count).fill(this.count());
    if (parameter > MAX_PARAMETER) throw new ManifestError('index', `a list's parameter is ${parameter}`);
    return Array.from({ length: count }, () => this.number(parameter));
  }
}

/** Maps 0, 1, 2, 3, 4 … to 0, -1, 1, -2, 2 … */
export function unzigzag(code: number): number {
  return code % 2 === 1 ? -(code + 1) / 2 : code / 2;
}
