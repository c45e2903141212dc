import type { DecisionState, LossEstimator, Option, ThroughputEstimator } from '../abr-star/index.js';
import { bufferCapacity } from './buffer.js';

/** What the downloads so far say about the link. */
export interface LinkEstimate {
  readonly throughput: Pick<ThroughputEstimator, 'throughput' | 'samples'>;
  /** Of datagrams. */
  readonly loss: Pick<LossEstimator, 'lossRate'>;
}

/** What is known when a segment must be chosen. Times in seconds. */
export interface Situation extends Pick<
  DecisionState,
  'segmentIndex' | 'segmentDuration' | 'bufferLevel' | 'lastChoice' | 'ladder'
> {
  /** Segments that the buffer holds beside the one in flight. */
  readonly bufferSegments: number;
  /** The ways to download the next segment and those after it; never empty. */
  readonly upcoming: readonly (readonly Option[])[];
  readonly link: LinkEstimate;
}

/** What a bitrate rule is told before it chooses. */
export function decisionState({ bufferSegments, upcoming, link, ...known }: Situation): DecisionState {
  return {
    ...known,
    bufferCapacity: bufferCapacity(bufferSegments, known.segmentDuration),
    options: upcoming[0]!,
    upcoming,
    ...linkState(link),
  };
}

/** The part of the state that changes while a segment is downloaded, the buffer level apart. */
export function linkState({
  throughput,
  loss,
}: LinkEstimate): Pick<DecisionState, 'throughput' | 'samples' | 'lossRate'> {
  return { throughput: throughput.throughput, samples: throughput.samples, lossRate: loss.lossRate };
}
