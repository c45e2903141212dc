import { LossEstimator } from '../abr-star/index.js';
import type { DeliveryCounts } from './counts.js';

/** What one download with datagrams says about their way. */
export interface PathFacts extends Pick<
  DeliveryCounts,
  'bytesUnreliable' | 'bytesLost' | 'bytesRecovered' | 'bytesDecoded'
> {
  /** Milliseconds. */
  readonly rtt?: number | undefined;
}

/** What the latest downloads say about the way to the server. */
export class PathEstimate {
  readonly #losses = new LossEstimator();
  /** Milliseconds; 0 before the first that is known. */
  roundTrip = 0;

  add({ bytesUnreliable, bytesLost, bytesRecovered, bytesDecoded, rtt }: PathFacts): void {
    this.#losses.add({ bytesSent: bytesUnreliable + bytesLost, bytesLost: bytesLost + bytesRecovered + bytesDecoded });
    this.roundTrip = rtt ?? this.roundTrip;
  }

  /** Share of unreliable bytes that were lost on the way, whatever became of them; undefined before the first. */
  get lossRate(): number | undefined {
    return this.#losses.lossRate;
  }
}
