import { ManifestError } from './errors.js';
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

/** A `Representation` as dash.js hands it over on `manifestLoaded`. */
export interface RepresentationElement {
  readonly id?: AttributeValue;
  readonly bandwidth?: AttributeValue;
  readonly avgSSIM?: AttributeValue;
  readonly avgPSNR?: AttributeValue;
  readonly avgVMAF?: AttributeValue;
  readonly SegmentList?: { readonly SegmentURL?: readonly SegmentUrlElement[] };
}

/** In order of preference, should a manifest carry several. */
const metrics = [
  { metric: 'ssim', average: 'avgSSIM', scores: 'ssims' },
  { metric: 'psnr', average: 'avgPSNR', scores: 'psnrs' },
  { metric: 'vmaf', average: 'avgVMAF', scores: 'vmafs' },
] as const satisfies { metric: QualityMetric; average: keyof RepresentationElement; scores: keyof SegmentUrlElement }[];

/**
 * Reads the VOXEL attributes of a representation; undefined where it has none: a plain representation. Keeps the
 * attributes' text and nothing else of `element`, and parses a segment when it is first asked for, since a player uses
 * few of the thousand segments of a manifest. Throws `ManifestError` when the representation's own attributes are bad.
 */
export function readRepresentation(element: RepresentationElement): RepresentationMap | undefined {
  const urls = element.SegmentList?.SegmentURL ?? [];
  const names = metrics.find(
    ({ average, scores }) => element[average] !== undefined && urls.some((url) => url[scores] !== undefined),
  );
  if (!names) return undefined;
  const attributes = urls.map((url) => segmentAttributes(url, names.scores));
  const parsed = new Map<number, SegmentMap>();
  return {
    id: String(element.id),
    metric: names.metric,
    averageScore: toNumber(element[names.average], names.average),
    bandwidth: toNumber(element.bandwidth, 'bandwidth'),
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

function toText(value: AttributeValue): string {
  return value === undefined ? '' : String(value);
}

function toNumber(value: AttributeValue, name: string): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number))
    throw new ManifestError('syntax', `${name}: not a number`);
  return number;
}
