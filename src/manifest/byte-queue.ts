const FIRST_CAPACITY = 1024;

/** Bytes that come in pieces and are taken from the front; however small the pieces are, each byte is moved a few times only. */
export class ByteQueue {
  #buffer = new Uint8Array(FIRST_CAPACITY);
  #start = 0;
  #end = 0;

  /** All that is in it: a view, which `append` overwrites. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  append(piece: Uint8Array): void {
    if (this.#end + piece.length > this.#buffer.length) this.#makeRoom(piece.length);
    this.#buffer.set(piece, this.#end);
    this.#end += piece.length;
  }

  /** Takes bytes away from the front. Throws `RangeError` where there are fewer. */
  consume(count: number): void {
    if (!(count >= 0 && count <= this.#end - this.#start)) throw new RangeError(`${count} bytes are not in the queue`);
    this.#start += count;
  }

  #makeRoom(count: number): void {
    const { bytes } = this;
    const needed = bytes.length + count;
    // With half of it free after a move, the next move is far away.
    const target = 2 * needed > this.#buffer.length ? new Uint8Array(2 * needed) : this.#buffer;
    target.set(bytes);
    this.#buffer = target;
    this.#start = 0;
    this.#end = bytes.length;
  }
}
