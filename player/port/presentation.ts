import type { ManifestError } from '../../src/manifest/errors.js';
import type { RepresentationMap, SegmentMap } from '../../src/manifest/segment-map.js';
import type { PlayerRepresentation, PlayerSegment } from './player-segment.js';

/** What a manifest says of VOXEL data. */
export interface Presentation {
  readonly hasVoxelData: boolean;
  /** Origin of the manifest; media of another one are not on its VOXEL server. */
  readonly origin: string;
  /** Why a representation that has VOXEL data plays without it. */
  readonly errors: readonly ManifestError[];
  /** A name for a representation of it. */
  keyOf(representation: PlayerRepresentation): string;
  /** Undefined without VOXEL data. */
  representation(representation: PlayerRepresentation): RepresentationMap | undefined;
  /** Where its segments are, if all of them are in one file. */
  fileUrl(representation: PlayerRepresentation): string | undefined;
  /**
   * What the requested segment is made of; undefined: a plain one, one whose index is not here yet, or not the bytes that
   * the map speaks of. Throws `ManifestError`.
   */
  segment(segment: PlayerSegment): SegmentMap | undefined;
  /** What is known of it is no longer so. */
  forget(representation: PlayerRepresentation): void;
}

const nothing = (): undefined => undefined;

/** Presentation before a manifest has been loaded. */
export const NO_PRESENTATION: Presentation = {
  ...{ hasVoxelData: false, origin: '', errors: [] },
  ...{ keyOf: () => '', representation: nothing, fileUrl: nothing, segment: nothing, forget: nothing },
};
