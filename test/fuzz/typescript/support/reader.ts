/** Takes numbers off an input, for targets whose input has a form; 0 past its end. */
export class InputReader {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #at = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  u8(): number {
    return this.#bytes[this.#at++] ?? 0;
  }

  u16(): number {
    return 256 * this.u8() + this.u8();
  }

  bytes(count: number): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.subarray(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }

  rest(): Uint8Array<ArrayBuffer> {
    return this.bytes(Infinity);
  }
}
