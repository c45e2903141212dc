import { malformed } from '../errors.js';

/** ue(v) reaches 2^32 - 2 at most (H.264 §9.1). */
const MAX_GOLOMB_ZEROS = 31;

/** Reads the bits of a NAL unit, most significant first, leaving out emulation prevention bytes (H.264 §7.4.1). */
export class BitReader {
  readonly #data: Uint8Array;
  /** Bytes of the NAL unit that hold them. */
  bytesRead = 0;
  #zeros = 0;
  #byte = 0;
  /** Bits read so far. */
  bitsRead = 0;

  constructor(nal: Uint8Array) {
    this.#data = nal;
  }

  /** Throws `RepairError` (malformed) past the end. */
  bit(): number {
    if (this.bitsRead % 8 === 0) this.#nextByte();
    const bit = (this.#byte >> (7 - (this.bitsRead % 8))) & 1;
    this.bitsRead++;
    return bit;
  }

  flag(): boolean {
    return this.bit() === 1;
  }

  /** The next `count` ≤ 32 bits as an unsigned number, u(n). */
  bits(count: number): number {
    let value = 0;
    for (let index = 0; index < count; index++) value = value * 2 + this.bit();
    return value;
  }

  /** Unsigned Exp-Golomb code, ue(v). */
  ue(): number {
    let zeros = 0;
    while (this.bit() === 0) {
      zeros++;
      if (zeros > MAX_GOLOMB_ZEROS) throw malformed('Exp-Golomb code longer than 32 bits');
    }
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  /** Signed Exp-Golomb code, se(v). */
  se(): number {
    const code = this.ue();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }

  #nextByte(): void {
    if (this.#zeros >= 2 && this.#data[this.bytesRead] === 3) {
      this.bytesRead++;
      this.#zeros = 0;
    }
    const byte = this.#data[this.bytesRead];
    if (byte === undefined) throw malformed('NAL unit ends inside its header');
    this.bytesRead++;
    this.#byte = byte;
    this.#zeros = byte === 0 ? this.#zeros + 1 : 0;
  }
}

/** Collects bits, most significant first. */
export class BitWriter {
  #bytes: number[] = [];
  #bitsWritten = 0;

  /** Another that has written the same so far. */
  fork(): BitWriter {
    const fork = new BitWriter();
    fork.#bytes = this.#bytes.slice();
    fork.#bitsWritten = this.#bitsWritten;
    return fork;
  }

  bit(bit: number): void {
    const used = this.#bitsWritten % 8;
    if (used === 0) this.#bytes.push(0);
    this.#bytes[this.#bytes.length - 1]! |= bit << (7 - used);
    this.#bitsWritten++;
  }

  /** Appends the `count` ≤ 31 low bits of `value`. */
  bits(value: number, count: number): void {
    for (let shift = count - 1; shift >= 0; shift--) this.bit((value >> shift) & 1);
  }

  /** Appends an unsigned Exp-Golomb code, ue(v), of a number below 2^30. */
  ue(value: number): void {
    const digits = 32 - Math.clz32(value + 1);
    this.bits(0, digits - 1);
    this.bits(value + 1, digits);
  }

  /** Fills the last byte with `bit`. */
  align(bit: number): void {
    while (this.#bitsWritten % 8 !== 0) this.bit(bit);
  }

  /** The bytes so far, the last one filled up with zeros. */
  toBytes(): readonly number[] {
    return this.#bytes;
  }
}

/** Inserts emulation prevention bytes, so that no start code can appear. */
export function escape(rbsp: readonly number[]): Uint8Array {
  const escaped: number[] = [];
  let zeros = 0;
  for (const byte of rbsp) {
    if (zeros === 2 && byte <= 3) {
      escaped.push(3);
      zeros = 0;
    }
    escaped.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Uint8Array.from(escaped);
}
