/** Half-open byte interval `[start, end)`, in bytes from the start of the media file unless said otherwise. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A range as `mediaRange` and the HTTP `Range` field have it: `first-last`, both inclusive. */
export function formatRange({ start, end }: ByteRange): string {
  return `${start}-${end - 1}`;
}

/** A range from that form; not a number where it has another. */
export function readRange(text: string): ByteRange {
  const [start, last] = text.split('-').map(Number) as [number, number];
  return { start, end: last + 1 };
}

/** The range so many bytes further on. */
export function shifted({ start, end }: ByteRange, bytes: number): ByteRange {
  return { start: start + bytes, end: end + bytes };
}

/** Bytes in all `ranges` together. */
export function totalBytes(ranges: readonly ByteRange[]): number {
  let bytes = 0;
  for (const range of ranges) bytes += range.end - range.start;
  return bytes;
}

/** What each range has of an amount that all of them have together, by its bytes. */
export function shares(ranges: readonly ByteRange[], amount: number): number[] {
  const bytes = totalBytes(ranges);
  return ranges.map(({ start, end }) => (amount * (end - start)) / bytes);
}

/** The range in parts of nearly equal length, as few as are no longer than `longest` bytes. */
export function cut({ start, end }: ByteRange, longest: number): ByteRange[] {
  const parts = Math.max(1, Math.ceil((end - start) / longest));
  const place = (part: number) => start + Math.round(((end - start) * part) / parts);
  return Array.from({ length: parts }, (_, part) => ({ start: place(part), end: place(part + 1) }));
}
