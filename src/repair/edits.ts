/** `[start, end)` of a segment gives way to `data`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly data: Uint8Array;
}

/** How many bytes longer (or, negative, shorter) the edits make their segment. */
export function growth(edits: readonly Edit[]): number {
  return edits.reduce((sum, edit) => sum + edit.data.length - (edit.end - edit.start), 0);
}

/**
 * The segment with all edits made, which do not overlap; itself when there is none. Of two that start at the same byte, the first inserts
 * before the second.
 */
export function applyEdits(segment: Uint8Array, edits: readonly Edit[]): Uint8Array {
  if (edits.length === 0) return segment;
  const edited = new Uint8Array(segment.length + growth(edits));
  let from = 0;
  let to = 0;
  const append = (piece: Uint8Array): void => {
    edited.set(piece, to);
    to += piece.length;
  };
  for (const { start, end, data } of [...edits].sort((left, right) => left.start - right.start)) {
    append(segment.subarray(from, start));
    append(data);
    from = end;
  }
  append(segment.subarray(from));
  return edited;
}

/** Writes `value` as an unsigned big-endian number into the `size` bytes at `start`. */
export function writeNumber(data: Uint8Array, start: number, size: number, value: number): void {
  let rest = value;
  for (let at = start + size - 1; at >= start; at--) {
    data[at] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}
