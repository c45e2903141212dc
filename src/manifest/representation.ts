import { ManifestError } from './errors.js';
import { IndexedRepresentation } from './indexed-representation.js';
import { parseSegment, type SegmentAttributes } from './segment-attributes.js';
import { metrics, type QualityMetric, type RepresentationMap, type SegmentMap } from './segment-map.js';

/** A value of an MPD attribute as dash.js hands it over: numbers may or may not have been converted. */
export type AttributeValue = string | number | undefined;

/** dash.js names attributes as the document does, with their prefix. */
type Prefixed = Readonly<Record<`${string}:${string}`, AttributeValue>>;

type Attributes<Name extends string> = Readonly<Partial<Record<Name, AttributeValue>>>;

/** The attributes of a `SegmentURL` that VOXEL reads, in its namespace, or in none as in the thesis (Listing 6.1). */
export interface SegmentUrlElement extends Prefixed, Attributes<`${QualityMetric}s`> {
  readonly mediaRange?: AttributeValue;
  readonly reliable?: AttributeValue;
  readonly unreliable?: AttributeValue;
  readonly reliableSize?: AttributeValue;
}

/** `SupplementalProperty` and its kin (ISO/IEC 23009-1 §5.8.2). */
export interface DescriptorElement {
  readonly schemeIdUri?: AttributeValue;
  readonly value?: AttributeValue;
}

/** A `Representation` as dash.js hands it over on `manifestLoaded`. */
export interface RepresentationElement extends Prefixed, Attributes<`avg${Uppercase<QualityMetric>}`> {
  readonly id?: AttributeValue;
  readonly bandwidth?: AttributeValue;
  readonly SegmentList?: { readonly SegmentURL?: readonly SegmentUrlElement[] };
  readonly SupplementalProperty?: readonly DescriptorElement[];
}

/** The `schemeIdUri` of the property whose value is the URL of the index, of each version, the newest first. */
export const indexSchemes = ['urn:voxel-dash:index:2', 'urn:voxel-dash:index:1'] as const;

/** The namespace of VOXEL's attributes (docs/MANIFEST.md). */
const NAMESPACE = 'urn:voxel-dash:2026';

/** The prefix of VOXEL's attributes, as the root element of a manifest declares it; otherwise the usual one. */
export function prefixOf(root: object): string {
  return (
    Object.entries(root)
      .find(([, value]) => value === NAMESPACE)?.[0]
      .slice('xmlns:'.length) ?? 'voxel'
  );
}

/**
 * Finds the VOXEL data of a representation; undefined where it has none: a plain representation. Attributes go before an
 * index: they are here already. `baseUrl` is what the URL of an index is relative to, `prefix` as `prefixOf` gives it.
 * Throws `ManifestError` when the representation's own attributes are bad.
 */
export function readRepresentation(
  element: RepresentationElement,
  baseUrl: string,
  prefix: string,
): RepresentationMap | undefined {
  const urls = element.SegmentList?.SegmentURL ?? [];
  const read: Read = (from, name) => (from as Prefixed)[`${prefix}:${name}`] ?? from[name];
  const stated = metrics.filter((metric) => read(element, averageOf(metric)) !== undefined);
  const inline = stated.find((metric) => urls.some((url) => read(url, `${metric}s`) !== undefined));
  const property = indexSchemes
    .map((scheme) => element.SupplementalProperty?.find(({ schemeIdUri }) => schemeIdUri === scheme))
    .find(Boolean);
  const metric = inline ?? stated[0];
  if (!metric || !(inline || property)) return undefined;
  const facts = {
    id: String(element.id),
    metric,
    averageScore: toNumber(read(element, averageOf(metric)), averageOf(metric)),
    bandwidth: toNumber(element.bandwidth, 'bandwidth'),
  };
  return inline
    ? { ...facts, ...segmentsFromAttributes(urls, `${inline}s`, read) }
    : new IndexedRepresentation({ ...facts, indexUrl: resolve(toText(property!.value), baseUrl) });
}

/** An attribute of VOXEL's, in its namespace or in none. */
type Read = <Name extends string>(from: Readonly<Partial<Record<Name, AttributeValue>>>, name: Name) => AttributeValue;

/** `avgSSIM`, … */
function averageOf(metric: QualityMetric): `avg${Uppercase<QualityMetric>}` {
  return `avg${metric.toUpperCase() as Uppercase<QualityMetric>}`;
}

/**
 * Keeps the attributes' text and nothing else of the elements, and parses a segment when it is first asked for, since a
 * player uses few of the thousand segments of a manifest.
 */
function segmentsFromAttributes(
  urls: readonly SegmentUrlElement[],
  scores: `${QualityMetric}s`,
  read: Read,
): Pick<RepresentationMap, 'segmentCount' | 'segment'> {
  const attributes = urls.map((url) => segmentAttributes(url, scores, read));
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
  scores: `${QualityMetric}s`,
  read: Read,
): SegmentAttributes | undefined {
  const text = (name: keyof SegmentUrlElement): string => toText(read(url, name));
  return text(scores) === ''
    ? undefined
    : {
        mediaRange: toText(url.mediaRange),
        reliable: text('reliable'),
        unreliable: text('unreliable'),
        reliableSize: text('reliableSize'),
        scores: text(scores),
      };
}

function resolve(url: string, baseUrl: string): string {
  if (URL.canParse(url, baseUrl)) return new URL(url, baseUrl).href;
  throw new ManifestError('syntax', `${JSON.stringify(url)} is not a valid URL of an index`);
}

function toText(value: AttributeValue): string {
  return String(value ?? '');
}

function toNumber(value: AttributeValue, name: string): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number))
    throw new ManifestError('syntax', `${name} must be a number, got ${JSON.stringify(value)}`);
  return number;
}
