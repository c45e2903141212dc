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
