import { malformed } from './errors.js';

/** A box (ISO/IEC 14496-12 §4.2): its bytes are `[start, end)`, its payload `[payload, end)`. */
export interface Box {
  readonly type: string;
  readonly start: number;
  readonly payload: number;
  readonly end: number;
}

/** Finds boxes and reads their fields; every size is checked against its container. Throws `RepairError` (malformed). */
export class BoxReader {
  readonly #view: DataView;

  constructor(data: Uint8Array) {
    this.#view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  }

  /** The boxes that fill the data, one after the other. */
  all(): Box[] {
    return this.#boxes(0, this.#view.byteLength);
  }

  /** The boxes inside `parent`, after `fields` bytes of its own. */
  children(parent: Box, fields = 0): Box[] {
    if (parent.payload + fields > parent.end) throw malformed(`${parent.type} box is too short`);
    return this.#boxes(parent.payload + fields, parent.end);
  }

  /** The first box of that type inside `parent`. */
  child(parent: Box, type: string): Box {
    const found = this.children(parent).find((box) => box.type === type);
    if (!found) throw malformed(`${parent.type} box without ${type}`);
    return found;
  }

  /** The unsigned 32-bit number at byte `at` of a box's payload. */
  u32(box: Box, at: number): number {
    if (box.payload + at + 4 > box.end) throw malformed(`${box.type} box is too short`);
    return this.#view.getUint32(box.payload + at);
  }

  /** The unsigned 16-bit number at byte `at` of a box's payload. */
  u16(box: Box, at: number): number {
    if (box.payload + at + 2 > box.end) throw malformed(`${box.type} box is too short`);
    return this.#view.getUint16(box.payload + at);
  }

  /** The unsigned 64-bit number at byte `at` of a box's payload; above 2^53 only about. */
  u64(box: Box, at: number): number {
    this.u32(box, at + 4); // is inside
    return Number(this.#view.getBigUint64(box.payload + at));
  }

  /** The four-character code at byte `at` of a box's payload. */
  fourcc(box: Box, at: number): string {
    this.u32(box, at); // is inside
    return this.#fourcc(box.payload + at);
  }

  #fourcc(start: number): string {
    return String.fromCharCode(...[0, 1, 2, 3].map((index) => this.#view.getUint8(start + index)));
  }

  #boxes(start: number, end: number): Box[] {
    const boxes: Box[] = [];
    let at = start;
    while (at < end) {
      const box = this.boxAt(at, end);
      boxes.push(box);
      at = box.end;
    }
    return boxes;
  }

  /** The box that begins at `start` and ends at `limit` or before. */
  boxAt(start: number, limit = this.#view.byteLength): Box {
    const available = limit - start;
    if (available < 8) throw malformed(`stray bytes where a box should start, at ${start}`);
    const view = this.#view;
    let size = view.getUint32(start);
    let header = 8;
    if (size === 1) {
      if (available < 16) throw malformed(`box header cut off at ${start}`);
      size = Number(view.getBigUint64(start + 8));
      header = 16;
    } else if (size === 0) {
      size = available; // to the end of the file
    }
    if (size < header || size > available) {
      throw malformed(`box size ${size} at ${start} does not fit its container`);
    }
    return { type: this.#fourcc(start + 4), start, payload: start + header, end: start + size };
  }
}
