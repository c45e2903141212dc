import type { LossEstimator, ThroughputEstimator } from '../../src/abr-star/index.js';
import type { SegmentMap } from '../../src/manifest/segment-map.js';
import type { Load, LoaderRequest, LoaderResponse } from './dash-types.js';
import type { Journal } from '../journal.js';
import type { Decision, RateControl } from '../rate-control.js';
import type { Repairers } from '../repairers.js';
import type { Retransmission } from '../retransmission.js';
import type { SessionManager } from '../session-manager.js';
import type { Delivery } from '../types.js';

/** What all loads of one player share. */
export interface LoadContext {
  readonly delivery: Delivery;
  /** Whether the rule may ask for streams where `delivery` is datagrams. */
  readonly ruleChoosesDelivery: boolean;
  readonly sessions: Pick<SessionManager, 'ready' | 'abandon'>;
  readonly repairers: Repairers;
  readonly journal: Journal;
  readonly throughput: ThroughputEstimator;
  /** Of datagrams. */
  readonly loss: LossEstimator;
  /** Undefined: dash.js' rules choose. */
  readonly rateControl: Pick<RateControl, 'review' | 'delivered'> | undefined;
  /** Resolves when that origin answers over HTTP. */
  readonly probe: (origin: string) => Promise<unknown>;
  /** Undefined: nothing is fetched again. */
  readonly retransmission: Pick<Retransmission, 'suspend' | 'resume' | 'hold'> | undefined;
  /** Seconds of video. */
  readonly bufferLevel: () => number;
  /** Milliseconds from now; what is unsent then is better left out. Undefined: none. */
  readonly deadline: () => number | undefined;
}

/** One segment that dash.js asked its loader for. */
export interface LoadJob {
  readonly request: LoaderRequest;
  readonly response: LoaderResponse;
  /** dash.js' own loader. */
  readonly parentLoad: Load;
  /** Of the representation, for the repairer. */
  readonly key: string;
  readonly map: SegmentMap;
  /** Undefined when dash.js or the user chose: then the whole segment is asked for, and nobody reviews. */
  readonly decision: Decision | undefined;
  /** The VOXEL server has the files of this origin. */
  readonly origin: string;
}
