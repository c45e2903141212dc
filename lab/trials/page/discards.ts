/** The parts of dash.js' `fragmentLoadingAbandoned` event that say what was thrown away (its `index.d.ts` lacks them). */
export interface FragmentLoadingAbandoned {
  readonly request: {
    readonly mediaType: string;
    readonly type: string;
    /** NaN before the first byte. */
    readonly bytesLoaded: number;
    readonly bytesTotal: number;
  };
}

/** Share of the bytes of a video segment that had come when it was given up. Undefined for anything else. */
export function discardedShare({ request }: FragmentLoadingAbandoned): number | undefined {
  if (request.mediaType !== 'video' || request.type !== 'MediaSegment') return undefined;
  return request.bytesTotal > 0 ? (request.bytesLoaded || 0) / request.bytesTotal : 0;
}
