import { IndexFile } from './index-file.js';
import type { QualityMetric, RepresentationMap, SegmentMap } from './segment-map.js';

/** A representation whose segments are described in an index, which somebody else fetches piece by piece. */
export class IndexedRepresentation implements RepresentationMap {
  readonly id: string;
  readonly metric: QualityMetric;
  readonly averageScore: number;
  readonly bandwidth: number;
  /** Absolute. */
  readonly indexUrl: string;
  index: IndexFile;
  edition = 0;

  constructor(facts: Omit<RepresentationMap, 'segmentCount' | 'segment'> & { readonly indexUrl: string }) {
    this.id = facts.id;
    this.metric = facts.metric;
    this.averageScore = facts.averageScore;
    this.bandwidth = facts.bandwidth;
    this.indexUrl = facts.indexUrl;
    this.index = new IndexFile(facts.metric);
  }

  get segmentCount(): number {
    return this.index.segmentCount;
  }

  segment(index: number): SegmentMap | undefined {
    return this.index.segment(index);
  }

  /** Nothing is known any more: the index has changed on the server. */
  forgetIndex(): void {
    this.index = new IndexFile(this.metric);
  }

  /** The media file has changed on the server, and with it the index. */
  forgetMedia(): void {
    this.edition++;
    this.forgetIndex();
  }
}
