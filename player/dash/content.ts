import { IndexedRepresentation } from '../../src/manifest/indexed-representation.js';
import type { RepresentationMap, SegmentMap } from '../../src/manifest/segment-map.js';
import type { IndexLoader } from '../index-loader.js';
import type { Journal } from '../journal.js';
import type { DashRepresentation, FragmentRequest } from './dash-types.js';
import { Presentation, type ManifestElement } from './presentation.js';

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

  /** Another presentation takes the place of the former. `pageUrl`: what a relative URL of the manifest is relative to. */
  load(manifest: ManifestElement, pageUrl: string): void {
    this.stop();
    this.#presentation = new Presentation(manifest, pageUrl);
    for (const error of this.#presentation.errors) this.#journal.fallback(error, manifest.url ?? '', undefined);
  }

  stop(): void {
    this.#indexes.stop();
  }

  /** Undefined without VOXEL data. */
  representation(representation: DashRepresentation): RepresentationMap | undefined {
    return this.#presentation?.representation(representation);
  }

  /** As `Presentation.fileUrl`. */
  fileUrl(representation: DashRepresentation): string | undefined {
    return this.#presentation?.fileUrl(representation);
  }

  /** As `Presentation.segment`. */
  segment(fragment: FragmentRequest): SegmentMap | undefined {
    return this.#presentation?.segment(fragment);
  }

  /** Its media file has changed on the server: its index is loaded anew; without one it has no VOXEL data any more. */
  reload(representation: DashRepresentation): void {
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
