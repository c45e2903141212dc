import { LossEstimator } from '../abr-star/index.js';

/** What one download with datagrams says about their way. */
export interface PathFacts {
  /** Unreliable bytes here in the end, and those that are not though they were sent. */
  readonly bytesUnreliable: number;
  readonly bytesLost: number;
  /** Of those that are here: lost, and brought by recovery or parity. */
  readonly bytesRecovered: number;
  readonly bytesDecoded: number;
  /** Milliseconds. */
  readonly rtt?: number | undefined;
}

/** What the latest downloads say about the way to the server. */
export class PathEstimate {
  readonly #losses = new LossEstimator();
  #roundTrip = 0;

  add({ bytesUnreliable, bytesLost, bytesRecovered, bytesDecoded, rtt }: PathFacts): void {
    this.#losses.add({ bytesSent: bytesUnreliable + bytesLost, bytesLost: bytesLost + bytesRecovered + bytesDecoded });
    this.#roundTrip = rtt ?? this.#roundTrip;
  }

  /** Milliseconds; 0 before the first that is known. */
  get roundTrip(): number {
    return this.#roundTrip;
  }

  /** Share of unreliable bytes that were lost on the way, whatever became of them; undefined before the first. */
  get lossRate(): number | undefined {
    return this.#losses.lossRate;
  }
}
