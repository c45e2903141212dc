import type { SegmentMap } from '../../src/manifest/segment-map.js';
import type { Decision } from '../rate-control.js';
import type { FragmentRequest, Load, LoaderRequest, LoaderResponse } from './dash-types.js';

/** One segment with VOXEL data that dash.js asked its loader for. */
export interface RequestedSegment {
  readonly request: LoaderRequest;
  readonly response: LoaderResponse;
  /** dash.js' own loader. */
  readonly parentLoad: Load;
  /** Of the representation, as the receiver knows it. */
  readonly key: string;
  readonly map: SegmentMap;
  /** Of its file. */
  readonly edition: number;
  /** Undefined when dash.js or the user chose: then the whole segment is asked for, and there are no reviews. */
  readonly decision: Decision | undefined;
  /** The VOXEL server has the files of this origin. */
  readonly origin: string;
}

export function fragmentOf({ request }: RequestedSegment): FragmentRequest {
  return request.customData.request;
}
