import { type Edit, growth, writeNumber } from './edits.js';
import { unsupported } from './errors.js';

/** Consecutive bytes of an encrypted sample: first clear ones, then encrypted ones (ISO/IEC 23001-7 §9.5). */
export interface Subsample {
  /** Position of its two sizes in the `senc`. */
  readonly field: number;
  readonly clear: number;
  readonly encrypted: number;
}

/** Bytes of a subsample's sizes: 16 bits for the clear, 32 bits for the encrypted bytes. */
export const SUBSAMPLE_BYTES = 6;
/** Flag of a `senc`: samples have subsamples (§7.2). */
export const SUBSAMPLES_PRESENT = 0x2;
const MAX_CLEAR = 0xffff;

/** Whether no byte of `[start, end)` is encrypted, in a sample at `offset`. */
export function isClear(offset: number, subsamples: readonly Subsample[], start: number, end: number): boolean {
  return spans(offset, subsamples).every((span) => end <= span.encryptedFrom || start >= span.end);
}

/**
 * The edits of a `senc` that declare clear what `replaced` puts into the sample at `offset`; the map keeps its length.
 * `replaced` is in ascending order. Throws `RepairError` (unsupported-stream) where the map cannot say that.
 */
export function clearSubsamples(offset: number, subsamples: readonly Subsample[], replaced: readonly Edit[]): Edit[] {
  return spans(offset, subsamples).flatMap(({ subsample, start, encryptedFrom, end }) => {
    if (!replaced.some((edit) => overlaps(edit, start, end))) return [];
    const over = replaced.filter((edit) => overlaps(edit, encryptedFrom, end));
    if (over.some((edit) => edit.start > encryptedFrom || edit.end < end)) {
      throw unsupported('subsamples with the bytes of several slices');
    }
    const isReplaced = over.length > 0;
    const clear = moved(isReplaced ? end : encryptedFrom, replaced) - moved(start, replaced);
    if (clear > MAX_CLEAR) throw unsupported(`subsamples of more than ${MAX_CLEAR} clear bytes`);
    return [sizes(subsample.field, clear, isReplaced ? 0 : subsample.encrypted)];
  });
}

interface Span {
  readonly subsample: Subsample;
  readonly start: number;
  readonly encryptedFrom: number;
  readonly end: number;
}

function spans(offset: number, subsamples: readonly Subsample[]): Span[] {
  let start = offset;
  return subsamples.map((subsample) => {
    const encryptedFrom = start + subsample.clear;
    const span = { subsample, start, encryptedFrom, end: encryptedFrom + subsample.encrypted };
    start = span.end;
    return span;
  });
}

function overlaps(edit: Edit, start: number, end: number): boolean {
  return edit.start < end && edit.end > start;
}

/** Where `position` lies after the edits; inside one, no further than its new bytes go. */
function moved(position: number, edits: readonly Edit[]): number {
  const before = edits.filter(({ end }) => end <= position);
  const around = edits.find(({ start, end }) => start < position && position < end);
  const inside = around ? Math.min(position - around.start, around.data.length) - (position - around.start) : 0;
  return position + growth(before) + inside;
}

function sizes(field: number, clear: number, encrypted: number): Edit {
  const data = new Uint8Array(SUBSAMPLE_BYTES);
  writeNumber(data, 0, 2, clear);
  writeNumber(data, 2, 4, encrypted);
  return { start: field, end: field + SUBSAMPLE_BYTES, data };
}
