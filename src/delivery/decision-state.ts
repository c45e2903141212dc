import type { DecisionState, LossEstimator, Option, ThroughputEstimator } from '../abr-star/index.js';
import { bufferCapacity } from './buffer.js';

/** What the downloads so far say about the link. */
export interface LinkEstimate {
  readonly throughput: Pick<ThroughputEstimator, 'throughput' | 'samples'>;
  /** Loss of datagrams. */
  readonly loss: Pick<LossEstimator, 'lossRate' | 'hasGaps'>;
}

/** What is known when a segment must be chosen. Times in seconds. */
export interface Situation extends Pick<
  DecisionState,
  'segmentIndex' | 'segmentDuration' | 'bufferLevel' | 'lastChoice' | 'ladder'
> {
  /** Seconds of a piece in which the player gets a segment that is waited for; undefined: it gets whole segments alone. */
  readonly pieceSeconds?: number | undefined;
  /** Segments that the buffer holds beside the one in flight. */
  readonly bufferSegments: number;
  /** The ways to download the next segment and those after it; never empty. */
  readonly upcoming: readonly (readonly Option[])[];
  readonly link: LinkEstimate;
}

/** What a bitrate rule is told before it chooses. Spelled out: rest and spread would take longer than most rules do. */
export function decisionState(known: Situation): DecisionState {
  const { throughput, samples, lossRate, hasGaps } = linkState(known.link);
  return {
    segmentIndex: known.segmentIndex,
    segmentDuration: known.segmentDuration,
    bufferLevel: known.bufferLevel,
    bufferCapacity: bufferCapacity(known.bufferSegments, known.segmentDuration),
    lastChoice: known.lastChoice,
    ladder: known.ladder,
    options: known.upcoming[0]!,
    upcoming: known.upcoming,
    throughput,
    samples,
    lossRate,
    hasGaps,
    ...(known.pieceSeconds !== undefined && { pieceSeconds: known.pieceSeconds }),
  };
}

/** The part of the state that changes while a segment is downloaded, the buffer level apart. */
export function linkState({
  throughput,
  loss,
}: LinkEstimate): Pick<DecisionState, 'throughput' | 'samples' | 'lossRate' | 'hasGaps'> {
  return {
    throughput: throughput.throughput,
    samples: throughput.samples,
    lossRate: loss.lossRate,
    hasGaps: loss.hasGaps,
  };
}
