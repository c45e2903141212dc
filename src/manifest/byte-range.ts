/** Half-open byte interval `[start, end)`, in bytes from the start of the media file unless said otherwise. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes in all `ranges` together. */
export function totalBytes(ranges: readonly ByteRange[]): number {
  let bytes = 0;
  for (const range of ranges) bytes += range.end - range.start;
  return bytes;
}

/** The range in parts of nearly equal length, as few as are no longer than `longest` bytes. */
export function cut({ start, end }: ByteRange, longest: number): ByteRange[] {
  const parts = Math.max(1, Math.ceil((end - start) / longest));
  const place = (part: number) => start + Math.round(((end - start) * part) / parts);
  return Array.from({ length: parts }, (_, part) => ({ start: place(part), end: place(part + 1) }));
}
