import { ManifestError } from '../src/manifest/errors.js';
import { readRepresentation, type RepresentationElement } from '../src/manifest/representation.js';
import type { RepresentationMap, SegmentMap } from '../src/manifest/segment-map.js';
import type { DashRepresentation, FragmentRequest } from './dash-types.js';

/** The manifest as dash.js hands it over on `manifestLoaded`: parsed XML, unknown attributes kept. */
export interface ManifestElement {
  /** Where it came from, after redirects. */
  readonly url?: string;
  readonly Period?: readonly {
    readonly AdaptationSet?: readonly { readonly Representation?: readonly RepresentationElement[] }[];
  }[];
}

/** What of a presentation has VOXEL data. */
export class Presentation {
  readonly #representations = new Map<string, RepresentationMap>();
  /** Of the manifest; media of another origin are not on its VOXEL server. */
  readonly origin: string;
  /** Why a representation that has VOXEL data plays without it. */
  readonly errors: ManifestError[] = [];

  /** `pageUrl`: what a relative URL of a manifest is relative to. */
  constructor(manifest: ManifestElement, pageUrl: string) {
    this.origin = new URL(manifest.url ?? '', pageUrl).origin;
    for (const [period, { AdaptationSet: sets = [] }] of (manifest.Period ?? []).entries()) {
      for (const element of sets.flatMap((set) => set.Representation ?? [])) this.#read(period, element);
    }
  }

  get hasVoxelData(): boolean {
    return this.#representations.size > 0;
  }

  representation({ id, adaptation }: DashRepresentation): RepresentationMap | undefined {
    return this.#representations.get(representationKey(adaptation.period.index, id));
  }

  /**
   * What the requested segment is made of; undefined: a plain one, or not the bytes that the map speaks of. Throws
   * `ManifestError`.
   */
  segment(request: FragmentRequest): SegmentMap | undefined {
    const map = request.representation && this.representation(request.representation)?.segment(request.index);
    return map && request.range === `${map.range.start}-${map.range.end - 1}` ? map : undefined;
  }

  #read(period: number, element: RepresentationElement): void {
    try {
      const representation = readRepresentation(element);
      if (representation) this.#representations.set(representationKey(period, representation.id), representation);
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error;
      this.errors.push(error);
    }
  }
}

/** `Representation@id` is unique within a period only. */
export function representationKey(period: number, id: string): string {
  return `${period}/${id}`;
}
