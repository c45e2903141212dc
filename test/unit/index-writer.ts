/** An index' head, table and entries from the bits of these numbers: what tests of the reader need of a writer. */
export class BitWriter {
  #bits = '';

  bits(value: number, count: number): this {
    this.#bits += value
      .toString(2)
      .padStart(count, '0')
      .slice(-count || Infinity);
    return this;
  }

  /** Unsigned Exp-Golomb code. */
  count(value: number): this {
    const binary = (value + 1).toString(2);
    this.#bits += '0'.repeat(binary.length - 1) + binary;
    return this;
  }

  /** With the parameter 0. */
  list(values: readonly number[]): this {
    if (values.length > 0) this.bits(0, 5);
    for (const value of values) this.count(value);
    return this;
  }

  toBytes(): Uint8Array {
    const padded = this.#bits.padEnd(Math.ceil(this.#bits.length / 8) * 8, '0');
    return Uint8Array.from(padded.match(/.{8}/g) ?? [], (byte) => parseInt(byte, 2));
  }
}

/** An index in SSIM with five decimals of these entries. */
export function indexOf(entries: readonly Uint8Array[]): Uint8Array {
  const table = new BitWriter().list(entries.map(({ length }) => length)).toBytes();
  const fixed = new DataView(new ArrayBuffer(16));
  fixed.setUint32(0, 0x56584958);
  fixed.setUint32(4, 0x02000500);
  fixed.setUint32(8, entries.length);
  fixed.setUint32(12, 16 + table.length);
  return new Uint8Array(Buffer.concat([new Uint8Array(fixed.buffer), table, ...entries]));
}
