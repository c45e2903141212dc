/** Seconds by which buffered ranges and append windows may differ from nominal segment times. */
export const TIME_TOLERANCE = 0.1;

/** Seconds from that time to the end of what is buffered without a gap; undefined: nothing is buffered there. */
export function secondsAhead(ranges: TimeRanges | undefined, time: number): number | undefined {
  let end: number | undefined;
  for (let index = 0; index < (ranges?.length ?? 0); index++) {
    if (ranges!.end(index) >= time && ranges!.start(index) <= (end ?? time) + TIME_TOLERANCE) end = ranges!.end(index);
  }
  return end && end - time;
}
