import type { LadderRepresentation, Option } from '../../src/abr-star/index.js';
import { segmentOptions } from '../../src/abr-star/index.js';
import type { QualityStep } from '../../src/manifest/segment-map.js';

/** One segment of one representation: as much of a `SegmentMap` as sizes and scores need. */
export interface ContentSegment {
  readonly reliableBytes: number;
  /** As in `SegmentMap`: the last is the whole segment. */
  readonly steps: readonly QualityStep[];
}

/** A stream that can be played in simulation. */
export interface Content {
  readonly name: string;
  /** Seconds. */
  readonly segmentDuration: number;
  /** Ascending in bitrate. */
  readonly ladder: readonly LadderRepresentation[];
  /** By segment, then representation. Never empty. */
  readonly segments: readonly (readonly ContentSegment[])[];
  /** By segment: every way to download it. */
  readonly options: readonly (readonly Option[])[];
}

export function makeContent(content: Omit<Content, 'options'>): Content {
  const options = content.segments.map((representations) =>
    segmentOptions(representations.map((segment) => ({ ...segment, ...NO_RANGES }))),
  );
  return { ...content, options };
}

/** The same stream repeated or cut to `count` segments. */
export function withSegmentCount(content: Content, count: number): Content {
  const at = <T>(list: readonly T[]) => Array.from({ length: count }, (_, index) => list[index % list.length]!);
  return { ...content, segments: at(content.segments), options: at(content.options) };
}

/** Simulated segments have sizes, but no place in a file. */
const NO_RANGES = { range: { start: 0, end: 0 }, reliable: [], unreliable: [] };
