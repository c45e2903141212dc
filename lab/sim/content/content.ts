import { segmentOptions, type LadderRepresentation, type Option } from '../../../src/abr-star/index.js';
import type { SegmentMap } from '../../../src/manifest/segment-map.js';

/** A stream that can be played in simulation. */
export interface Content {
  readonly name: string;
  /** Seconds. */
  readonly segmentDuration: number;
  /** Ascending in bitrate. */
  readonly ladder: readonly LadderRepresentation[];
  /** Maps by segment, then representation. Never empty. */
  readonly segments: readonly (readonly SegmentMap[])[];
  /** Every way to download a segment, by segment. */
  readonly options: readonly (readonly Option[])[];
}

export function makeContent(content: Omit<Content, 'options'>): Content {
  return { ...content, options: content.segments.map(segmentOptions) };
}

/** The same stream repeated or cut to `count` segments. */
export function withSegmentCount(content: Content, count: number): Content {
  const at = <T>(list: readonly T[]) => Array.from({ length: count }, (_, index) => list[index % list.length]!);
  return { ...content, segments: at(content.segments), options: at(content.options) };
}
