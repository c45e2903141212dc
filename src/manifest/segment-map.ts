import type { ByteRange } from './byte-range.js';

/** A prefix of a segment's unreliable bytes and the quality that a viewer gets from it (thesis Listing 6.1, `ssims`). */
export interface QualityStep {
  /** Mean score over the segment's frames, in the unit of the manifest's metric. */
  readonly score: number;
  /** Whole frames taken from `unreliable`. */
  readonly frames: number;
  /** Bytes of `unreliable` that those frames take: the length of the prefix. */
  readonly bytes: number;
}

/** What one media segment of one representation is made of. All ranges are positions in the media file. */
export interface SegmentMap {
  readonly range: ByteRange;
  /** Must arrive, in file order. */
  readonly reliable: readonly ByteRange[];
  /** May be missing; most important frame first, slices of a frame adjacent. */
  readonly unreliable: readonly ByteRange[];
  readonly reliableBytes: number;
  /**
   * Never empty; frames and bytes strictly ascending, bytes on the boundaries of `unreliable`. The last is the whole
   * segment. The first is `{ frames: 0, bytes: 0 }` (reliable bytes only) as far as the manifest measured that; the
   * thesis' own manifests start higher.
   */
  readonly steps: readonly QualityStep[];
  /**
   * For each range of `unreliable`, what its loss alone takes off the segment's score: measured for a frame, shared out
   * among its slices by bytes. Undefined: not measured.
   */
  readonly lossCosts?: readonly number[];
  /**
   * Where missing frames are taken out: for each range of `unreliable`, which is a frame, the places there of earlier ones that it needs, and
   * without which it goes, too. Undefined: something stands in for each.
   */
  readonly needs?: readonly (readonly number[])[];
  /**
   * Where something stands in for missing frames: for each range of `unreliable`, how many frames in a row, up to its own, may be missing
   * and the picture before them be held instead. Undefined: none.
   */
  readonly reach?: readonly number[];
}

/** The metrics, in order of preference, should a manifest carry several; their places are the codes of an index. */
export const metrics = ['ssim', 'psnr', 'vmaf'] as const;

/** The names of the scores that a manifest may carry, from its attribute (`ssims`, `psnrs`, `vmafs`). */
export type QualityMetric = (typeof metrics)[number];

/** All segments of one representation, read lazily. */
export interface RepresentationMap {
  readonly id: string;
  readonly metric: QualityMetric;
  /** Mean score of the untouched segments (`avgSSIM`). */
  readonly averageScore: number;
  /** Bit/s as the MPD states it. */
  readonly bandwidth: number;
  /** Counts how often the media file was found changed; undefined: maps are of one edition only. */
  readonly edition?: number;
  /** 0 while that is not known. */
  readonly segmentCount: number;
  /**
   * The map of segment `index` (0-based); undefined where the manifest has none or its index is not here yet. Throws
   * `ManifestError` on bad data.
   */
  segment(index: number): SegmentMap | undefined;
}
