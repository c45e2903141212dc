import type { AttributeValue, DescriptorElement } from '../../../src/manifest/representation.js';
import { LIVE_SCHEME, RECORDS_SUFFIX } from '../../growing/records.js';

/** dash.js takes it from here; numbers may or may not have been converted. */
interface TemplateElement {
  availabilityTimeOffset?: AttributeValue;
  readonly availabilityTimeComplete?: AttributeValue | boolean;
  readonly duration?: AttributeValue;
  readonly timescale?: AttributeValue;
}

interface Described {
  readonly SupplementalProperty?: readonly DescriptorElement[];
  readonly SegmentTemplate?: TemplateElement;
}

/** A manifest as dash.js hands it over on `manifestLoaded`, as far as live streams go. */
export interface LiveManifestElement extends Described {
  readonly url?: string;
  readonly type?: AttributeValue;
  readonly availabilityStartTime?: AttributeValue | Date;
  readonly Period?: readonly (Described & {
    readonly id?: AttributeValue;
    readonly start?: AttributeValue;
    readonly AdaptationSet?: readonly (Described & {
      readonly Representation?: readonly (Described & { readonly id?: AttributeValue })[];
    })[];
  })[];
}

/** True for a live presentation with records. */
export function isLiveWithRecords(manifest: LiveManifestElement): boolean {
  const properties = elementsOf(manifest).flatMap(({ SupplementalProperty = [] }) => SupplementalProperty);
  const hasRecords = properties.some((one) => one.schemeIdUri === LIVE_SCHEME && one.value === RECORDS_SUFFIX);
  return manifest.type === 'dynamic' && hasRecords;
}

/** The same for every update of one presentation: its time line, its periods and their representations. */
export function identityOf({ availabilityStartTime = '', Period = [] }: LiveManifestElement): string {
  const start = availabilityStartTime instanceof Date ? availabilityStartTime : new Date(availabilityStartTime);
  const periods = Period.map(({ id, start, AdaptationSet = [] }) => [
    id ?? start,
    AdaptationSet.map(({ Representation = [] }) => Representation.map((representation) => representation.id)),
  ]);
  return JSON.stringify([start.getTime(), periods]);
}

/**
 * Lets dash.js ask for a segment when it begins, instead of when its first chunk is complete: that chunk would come half a round trip
 * late. A server of growing files holds such requests.
 */
export function askEarly(manifest: LiveManifestElement): void {
  for (const { SegmentTemplate: template } of elementsOf(manifest)) {
    if (template?.duration === undefined || String(template.availabilityTimeComplete) !== 'false') continue;
    const duration = Number(template.duration) / Number(template.timescale ?? 1);
    if (duration > Number(template.availabilityTimeOffset ?? 0)) template.availabilityTimeOffset = duration;
  }
}

function elementsOf(manifest: LiveManifestElement): Described[] {
  const periods = manifest.Period ?? [];
  const sets = periods.flatMap(({ AdaptationSet = [] }) => AdaptationSet);
  return [manifest, ...periods, ...sets, ...sets.flatMap(({ Representation = [] }) => Representation)];
}
