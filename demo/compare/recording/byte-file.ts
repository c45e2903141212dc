import type { Piece } from './format.js';

/** A file that grows by pieces. */
export class ByteFile {
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];
  #length = 0;

  add(bytes: Uint8Array): Piece {
    const piece = { offset: this.#length, length: bytes.length };
    this.#pieces.push(new Uint8Array(bytes));
    this.#length += bytes.length;
    return piece;
  }

  get blob(): Blob {
    return new Blob(this.#pieces);
  }
}
