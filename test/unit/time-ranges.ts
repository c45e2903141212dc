/** Ranges of a media element's buffer, from their starts and ends in seconds. */
export function timeRanges(...pairs: [number, number][]): TimeRanges {
  return { length: pairs.length, start: (at) => pairs[at]![0], end: (at) => pairs[at]![1] };
}
