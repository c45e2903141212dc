import type { RepresentationMap } from './segment-map.js';

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

/** Reads the VOXEL attributes of a representation, or gives undefined where it has none: a plain representation. */
export function readRepresentation(_element: RepresentationElement): RepresentationMap | undefined {
  throw new Error('being written');
}
