import type { ManifestError } from '../../../src/manifest/errors.js';
import { IndexedRepresentation } from '../../../src/manifest/indexed-representation.js';
import type { RepresentationMap, SegmentMap } from '../../../src/manifest/segment-map.js';
import type { IndexLoader } from './index-loader.js';
import type { Journal } from '../record/journal.js';
import type { PlayerRepresentation, PlayerSegment } from '../../port/player-segment.js';

/** What a manifest says of VOXEL data. */
export interface Presentation {
  readonly hasVoxelData: boolean;
  /** Of the manifest; media of another origin are not on its VOXEL server. */
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

/** What is known of the segments of the presentation that plays: from its manifest, and from the indexes as they arrive. */
export class Content {
  readonly #indexes: IndexLoader;
  readonly #journal: Pick<Journal, 'fallback'>;
  #presentation: Presentation | undefined;

  constructor(indexes: IndexLoader, journal: Pick<Journal, 'fallback'>) {
    this.#indexes = indexes;
    this.#journal = journal;
  }

  get hasVoxelData(): boolean {
    return this.#presentation?.hasVoxelData ?? false;
  }

  /** Of the manifest. */
  get origin(): string {
    return this.#presentation!.origin;
  }

  /** Another presentation takes the place of the former. */
  load(presentation: Presentation, manifestUrl: string): void {
    this.stop();
    this.#presentation = presentation;
    for (const error of presentation.errors) this.#journal.fallback(error, manifestUrl, undefined);
  }

  stop(): void {
    this.#indexes.stop();
  }

  /** As `Presentation.keyOf`. */
  keyOf(representation: PlayerRepresentation): string {
    return this.#presentation!.keyOf(representation);
  }

  /** As `Presentation.representation`. */
  representation(representation: PlayerRepresentation): RepresentationMap | undefined {
    return this.#presentation?.representation(representation);
  }

  /** As `Presentation.fileUrl`. */
  fileUrl(representation: PlayerRepresentation): string | undefined {
    return this.#presentation?.fileUrl(representation);
  }

  /** As `Presentation.segment`. */
  segment(fragment: PlayerSegment): SegmentMap | undefined {
    return this.#presentation?.segment(fragment);
  }

  /** Its media file has changed on the server: its index is loaded anew; without one it has no VOXEL data any more. */
  reload(representation: PlayerRepresentation): void {
    const map = this.representation(representation);
    if (map instanceof IndexedRepresentation) this.#indexes.reload(map);
    else this.#presentation?.forget(representation);
  }

  /** Starts to fetch the indexes that a decision about that segment needs. */
  want(representations: readonly RepresentationMap[], segmentIndex: number): void {
    this.#indexes.want(representations, segmentIndex);
  }

  /** True while more may become known of that segment. */
  isPending(representation: RepresentationMap, segmentIndex: number): boolean {
    return this.#indexes.isPending(representation, segmentIndex);
  }

  /** Resolves when all that can be known of that segment is, or when waiting any longer would delay it too much. */
  ready(representation: RepresentationMap, segmentIndex: number): Promise<void> {
    return this.#indexes.ready(representation, segmentIndex);
  }
}
