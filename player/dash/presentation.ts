import { ManifestError } from '../../src/manifest/errors.js';
import { prefixOf, readRepresentation, type RepresentationElement } from '../../src/manifest/representation.js';
import type { RepresentationMap, SegmentMap } from '../../src/manifest/segment-map.js';
import { isDescribedBy } from '../port/player-segment.js';
import type { Presentation } from '../port/presentation.js';
import type { DashRepresentation, FragmentRequest } from './dash-types.js';

/** `BaseURL` elements, which stand at every level of a manifest; the first one counts (ISO/IEC 23009-1 §5.6). */
interface Based {
  readonly BaseURL?: readonly (string | { readonly __text?: string })[];
}

/** The manifest as dash.js hands it over on `manifestLoaded`: parsed XML, unknown attributes kept. */
export interface ManifestElement extends Based {
  /** Where it came from, after redirects. */
  readonly url?: string;
  readonly Period?: readonly (Based & {
    readonly AdaptationSet?: readonly (Based & {
      readonly contentType?: string;
      readonly mimeType?: string;
      readonly Representation?: readonly (Based & RepresentationElement & { readonly mimeType?: string })[];
    })[];
  })[];
}

/** What of dash.js' presentation has VOXEL data. */
export class DashPresentation implements Presentation {
  readonly #representations = new Map<string, RepresentationMap>();
  readonly #fileUrls = new Map<string, string>();
  readonly origin: string;
  readonly errors: ManifestError[] = [];
  /** Bit/s of the audio that a player begins with, at most; 0: there is none. */
  readonly audioRate: number;

  /** `pageUrl`: what a relative URL of a manifest is relative to. */
  constructor(manifest: ManifestElement, pageUrl: string) {
    const manifestUrl = new URL(manifest.url ?? '', pageUrl);
    this.origin = manifestUrl.origin;
    const prefix = prefixOf(manifest);
    this.audioRate = audioRateOf(manifest);
    for (const [index, period] of (manifest.Period ?? []).entries()) {
      for (const set of period.AdaptationSet ?? []) {
        for (const element of set.Representation ?? []) {
          this.#read(index, element, baseUrlOf(manifestUrl.href, [manifest, period, set, element]), prefix);
        }
      }
    }
  }

  get hasVoxelData(): boolean {
    return this.#representations.size > 0;
  }

  keyOf(representation: DashRepresentation): string {
    return keyOf(representation);
  }

  representation(representation: DashRepresentation): RepresentationMap | undefined {
    return this.#representations.get(keyOf(representation));
  }

  segment(request: FragmentRequest): SegmentMap | undefined {
    const map = request.representation && this.representation(request.representation)?.segment(request.index);
    return map && isDescribedBy(request, map) ? map : undefined;
  }

  fileUrl(representation: DashRepresentation): string | undefined {
    return this.#fileUrls.get(keyOf(representation));
  }

  forget(representation: DashRepresentation): void {
    this.#representations.delete(keyOf(representation));
  }

  #read(period: number, element: RepresentationElement, baseUrl: string, prefix: string): void {
    try {
      const representation = readRepresentation(element, baseUrl, prefix);
      if (!representation) return;
      const key = representationKey(period, representation.id);
      this.#representations.set(key, representation);
      this.#fileUrls.set(key, baseUrl);
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error;
      this.errors.push(error);
    }
  }
}

/** Rate of the sound: of several tracks one plays, with its lowest rate first. */
function audioRateOf({ Period: [first] = [] }: ManifestElement): number {
  const rates = (first?.AdaptationSet ?? []).map(({ contentType, mimeType, Representation = [] }) => {
    const isAudio = [contentType, mimeType, Representation[0]?.mimeType].some((type) => type?.startsWith('audio'));
    return isAudio ? Math.min(...Representation.map(({ bandwidth }) => Number(bandwidth))) : 0;
  });
  return Math.max(0, ...rates.filter(Number.isFinite));
}

/** A URL that is none is left out: dash.js will say so. */
function baseUrlOf(manifestUrl: string, path: readonly Based[]): string {
  return path.reduce((base, { BaseURL: [first] = [] }) => {
    const url = typeof first === 'string' ? first : (first?.__text ?? '');
    return URL.canParse(url.trim(), base) ? new URL(url.trim(), base).href : base;
  }, manifestUrl);
}

/** A name for a representation of a presentation. */
export function keyOf({ id, adaptation }: DashRepresentation): string {
  return representationKey(adaptation.period.index, id);
}

/** `Representation@id` is unique within a period only. */
function representationKey(period: number, id: string): string {
  return `${period}/${id}`;
}
