import { ManifestError } from '../../src/manifest/errors.js';
import { indexSchemes, readRepresentation } from '../../src/manifest/representation.js';
import type { RepresentationMap, SegmentMap } from '../../src/manifest/segment-map.js';
import { LIVE_SCHEME, RECORDS_SUFFIX } from '../growing/records.js';
import type { Presentation } from '../port/presentation.js';
import { isDescribedBy, type PlayerRepresentation, type PlayerSegment } from '../port/player-segment.js';
import type { HlsLevel, ManifestParsed } from './hls-types.js';

/** What of the levels of hls.js has VOXEL data (docs/MANIFEST.md, "HLS playlists"). */
export class HlsPresentation implements Presentation {
  readonly origin: string;
  readonly errors: ManifestError[] = [];
  /** Whether its segments grow, with records beside them. */
  readonly isGrowing: boolean;
  readonly #representations = new Map<string, RepresentationMap>();

  constructor({ levels, sessionData }: ManifestParsed) {
    this.origin = levels[0] ? new URL(levels[0].uri).origin : '';
    this.isGrowing = sessionData?.[LIVE_SCHEME]?.['VALUE'] === RECORDS_SUFFIX;
    for (const level of levels) this.#read(level, sessionData ?? {});
  }

  get hasVoxelData(): boolean {
    return this.#representations.size > 0;
  }

  keyOf({ id }: PlayerRepresentation): string {
    return id;
  }

  representation({ id }: PlayerRepresentation): RepresentationMap | undefined {
    return this.#representations.get(id);
  }

  /** hls.js alone reads the playlist that names it. */
  fileUrl(): undefined {
    return undefined;
  }

  segment(segment: PlayerSegment): SegmentMap | undefined {
    const { index, representation } = segment;
    const map = representation ? this.representation(representation)?.segment(index) : undefined;
    return map && isDescribedBy(segment, map) ? map : undefined;
  }

  forget({ id }: PlayerRepresentation): void {
    this.#representations.delete(id);
  }

  #read(level: HlsLevel, sessionData: NonNullable<ManifestParsed['sessionData']>): void {
    const id = representationId(level);
    const value = indexSchemes
      .map((scheme) => sessionData[`${scheme}:${id}`]?.VALUE)
      .find((found) => found !== undefined);
    if (value === undefined || this.#representations.has(id)) return;
    try {
      const representation = readRepresentation(elementOf(value, id, level.averageBitrate), level.uri, '');
      if (representation) this.#representations.set(id, representation);
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error;
      this.errors.push(error);
    }
  }
}

/** The representation's ID as the playlists have it; empty where they have none. */
export function representationId({ attrs }: Pick<HlsLevel, 'attrs'>): string {
  return attrs['STABLE-VARIANT-ID'] ?? '';
}

/** `index=q00.index avgSSIM=0.95`: what an MPD has in elements. */
function elementOf(value: string, id: string, bandwidth: number): Parameters<typeof readRepresentation>[0] {
  const { index, ...attributes } = Object.fromEntries(value.split(' ').map((word) => word.split(/=(.*)/, 2))) as Record<
    string,
    string | undefined
  >;
  return { ...attributes, id, bandwidth, SupplementalProperty: [{ schemeIdUri: indexSchemes[0], value: index }] };
}
