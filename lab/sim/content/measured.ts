import type { SegmentMap } from '../../../src/manifest/segment-map.js';
import type { Content } from './content.js';

/**
 * A quality step relative to the whole segment: share of its bytes (reliable ones included), frames, share of its score.
 */
export type MeasuredStep = readonly [bytes: number, frames: number, score: number];

export interface MeasuredLevel {
  /** Bitrate of the representation, in bit/s. */
  readonly bitrate: number;
  /** Score of the whole segment against the top representation. */
  readonly score: number;
  readonly reliableShare: number;
  /** The last is the whole segment. */
  readonly steps: readonly MeasuredStep[];
}

/** One real segment in every representation of its clip's ladder, ascending. */
export interface MeasuredSegment {
  readonly clip: string;
  readonly levels: readonly MeasuredLevel[];
}

/** Steps kept of a measured curve: as many virtual levels as the decision is meant to be quick with. */
const MAX_STEPS = 15;

/** What simulation needs to know of prepared clips, small enough to be kept beside the code. */
export function measure({ name, ladder, segments }: Content): MeasuredSegment[] {
  return segments.map((representations) => ({
    clip: name,
    levels: representations.map((segment, index) => measureLevel(segment, ladder[index]!.bitrate)),
  }));
}

function measureLevel({ reliableBytes, steps }: SegmentMap, bitrate: number): MeasuredLevel {
  const whole = steps.at(-1)!;
  const size = reliableBytes + whole.bytes;
  return {
    bitrate,
    score: whole.score,
    reliableShare: rounded(reliableBytes / size),
    steps: thinned(steps).map(({ bytes, frames, score }) => [
      rounded((reliableBytes + bytes) / size),
      frames,
      rounded(score / whole.score),
    ]),
  };
}

/** First, last and the steps between them nearest to an even division of the bytes. */
function thinned(steps: SegmentMap['steps']): SegmentMap['steps'] {
  const last = steps.at(-1)!.bytes;
  const wanted = Array.from({ length: MAX_STEPS }, (_, index) => (index * last) / (MAX_STEPS - 1));
  const kept = wanted.map((bytes) =>
    steps.reduce((a, b) => (Math.abs(b.bytes - bytes) < Math.abs(a.bytes - bytes) ? b : a)),
  );
  return [...new Set(kept)];
}

/** Five digits, like the scores of a manifest. */
function rounded(share: number): number {
  return Number(share.toFixed(5));
}
