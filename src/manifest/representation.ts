import { ManifestError } from './errors.js';
import { IndexedRepresentation } from './indexed-representation.js';
import { parseSegment, type SegmentAttributes } from './segment-attributes.js';
import type { QualityMetric, RepresentationMap, SegmentMap } from './segment-map.js';

/** A value of an MPD attribute as dash.js hands it over: numbers may or may not have been converted. */
export type AttributeValue = string | number | undefined;

/** The attributes of a `SegmentURL` that VOXEL reads (thesis Listing 6.1). */
export interface SegmentUrlElement {
  readonly mediaRange?: AttributeValue;
  readonly reliable?: AttributeValue;
  readonly unreliable?: AttributeValue;
  readonly reliableSize?: AttributeValue;
  readonly ssims?: AttributeValue;
  readonly psnrs?: AttributeValue;
  readonly vmafs?: AttributeValue;
}

/** `SupplementalProperty` and its kin (ISO/IEC 23009-1 §5.8.2). */
export interface DescriptorElement {
  readonly schemeIdUri?: AttributeValue;
  readonly value?: AttributeValue;
}

/** A `Representation` as dash.js hands it over on `manifestLoaded`. */
export interface RepresentationElement {
  readonly id?: AttributeValue;
  readonly bandwidth?: AttributeValue;
  readonly avgSSIM?: AttributeValue;
  readonly avgPSNR?: AttributeValue;
  readonly avgVMAF?: AttributeValue;
  readonly SegmentList?: { readonly SegmentURL?: readonly SegmentUrlElement[] };
  readonly SupplementalProperty?: readonly DescriptorElement[];
}

/** The `schemeIdUri` of the property whose value is the URL of the index. */
const INDEX_SCHEME = 'urn:voxel-dash:index:1';

/** In order of preference, should a manifest carry several. */
const metrics = [
  { metric: 'ssim', average: 'avgSSIM', scores: 'ssims' },
  { metric: 'psnr', average: 'avgPSNR', scores: 'psnrs' },
  { metric: 'vmaf', average: 'avgVMAF', scores: 'vmafs' },
] as const satisfies { metric: QualityMetric; average: keyof RepresentationElement; scores: keyof SegmentUrlElement }[];

/**
 * Finds the VOXEL data of a representation; undefined where it has none: a plain representation. Attributes go before an
 * index: they are here already. `baseUrl` is what the URL of an index is relative to. Throws `ManifestError` when the
 * representation's own attributes are bad.
 */
export function readRepresentation(element: RepresentationElement, baseUrl: string): RepresentationMap | undefined {
  const urls = element.SegmentList?.SegmentURL ?? [];
  const stated = metrics.filter(({ average }) => element[average] !== undefined);
  const inline = stated.find(({ scores }) => urls.some((url) => url[scores] !== undefined));
  if (inline) return { ...readFacts(element, inline), ...segmentsFromAttributes(urls, inline.scores) };
  const [indexed] = stated;
  const property = element.SupplementalProperty?.find(({ schemeIdUri }) => schemeIdUri === INDEX_SCHEME);
  if (!indexed || !property) return undefined;
  return new IndexedRepresentation({ ...readFacts(element, indexed), indexUrl: resolve(property.value, baseUrl) });
}

function readFacts(
  element: RepresentationElement,
  { metric, average }: (typeof metrics)[number],
): Pick<RepresentationMap, 'id' | 'metric' | 'averageScore' | 'bandwidth'> {
  return {
    id: String(element.id),
    metric,
    averageScore: toNumber(element[average], average),
    bandwidth: toNumber(element.bandwidth, 'bandwidth'),
  };
}

/**
 * Keeps the attributes' text and nothing else of the elements, and parses a segment when it is first asked for, since a
 * player uses few of the thousand segments of a manifest.
 */
function segmentsFromAttributes(
  urls: readonly SegmentUrlElement[],
  scores: (typeof metrics)[number]['scores'],
): Pick<RepresentationMap, 'segmentCount' | 'segment'> {
  const attributes = urls.map((url) => segmentAttributes(url, scores));
  const parsed = new Map<number, SegmentMap>();
  return {
    segmentCount: urls.length,
    segment(index) {
      const text = attributes[index];
      if (!text) return undefined;
      const map = parsed.get(index) ?? parseSegment(text);
      parsed.set(index, map);
      return map;
    },
  };
}

/** Undefined for a plain segment, one without scores. */
function segmentAttributes(
  url: SegmentUrlElement,
  scores: (typeof metrics)[number]['scores'],
): SegmentAttributes | undefined {
  if (url[scores] === undefined) return undefined;
  return {
    mediaRange: toText(url.mediaRange),
    reliable: toText(url.reliable),
    unreliable: toText(url.unreliable),
    reliableSize: toText(url.reliableSize),
    scores: toText(url[scores]),
  };
}

function resolve(url: AttributeValue, baseUrl: string): string {
  if (!URL.canParse(toText(url), baseUrl))
    throw new ManifestError('syntax', `${JSON.stringify(toText(url))} is not a valid URL of an index`);
  return new URL(toText(url), baseUrl).href;
}

function toText(value: AttributeValue): string {
  return value === undefined ? '' : String(value);
}

function toNumber(value: AttributeValue, name: string): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number))
    throw new ManifestError('syntax', `${name} must be a number, got ${JSON.stringify(value)}`);
  return number;
}
