import type { SegmentLayout } from './types.js';

/** Only these: a clone of all that is known of a segment would cost more than a request. */
export function layoutOf({ range, reliable, unreliable, reliableBytes }: SegmentLayout): SegmentLayout {
  return { range, reliable, unreliable, reliableBytes };
}
