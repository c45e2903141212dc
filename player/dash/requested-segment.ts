import type { SegmentMap } from '../../src/manifest/segment-map.js';
import type { Decision } from '../rate-control.js';
import type { FragmentRequest, Load, LoaderRequest, LoaderResponse } from './dash-types.js';

/** One segment with VOXEL data, and where it is. */
export interface WantedSegment {
  /** Of its file, and the fields that go with a request for it, as dash.js and the page have them. */
  readonly request: Pick<LoaderRequest, 'url' | 'headers'>;
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

/** One that dash.js asked its loader for. */
export interface RequestedSegment extends WantedSegment {
  readonly request: LoaderRequest;
  readonly response: LoaderResponse;
  /** dash.js' own loader. */
  readonly parentLoad: Load;
}

export function fragmentOf({ request }: RequestedSegment): FragmentRequest {
  return request.customData.request;
}
