export { totalBytes, type ByteRange } from './byte-range.js';
export { ManifestError, type ManifestErrorCode } from './errors.js';
export { IntervalSet } from './interval-set.js';
export { readRepresentation, type RepresentationElement, type SegmentUrlElement } from './representation.js';
export { estimateScore } from './score-estimate.js';
export type { QualityMetric, QualityStep, RepresentationMap, SegmentMap } from './segment-map.js';
