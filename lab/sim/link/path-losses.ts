import type { Random } from '../random.js';

/** How a path loses packets. */
export interface LossModel {
  /** Share of the packets. */
  readonly loss: number;
  /** Packets that are lost in a row on average; undefined: losses are independent of each other. */
  readonly meanBurst?: number;
}

/** What is lost of the bytes that enter a path in one round trip. */
export interface RoundLosses {
  readonly bytes: number;
  /** Where lost packets begin among these bytes, ascending. */
  readonly starts: readonly number[];
}

/** Packets: where all are lost, a run has no end of itself. */
const LONGEST_RUN = 1e6;

const NOTHING: RoundLosses = { bytes: 0, starts: [] };

/**
 * Which packets a path loses: the link emulator's chain with two states (Gilbert, Elliott), drawn in runs of packets instead of one by one.
 */
export class PathLosses {
  readonly #packet: number;
  readonly #random: Random;
  #model: LossModel = { loss: 0 };
  #begins = 0;
  #goesOn = 0;
  #isLosing = false;
  /** Bytes of the current run that are still to come. */
  #left = 0;

  constructor(model: LossModel, packetBytes: number, random: Random) {
    this.#packet = packetBytes;
    this.#random = random;
    this.#isLosing = model.loss > 0 && random.uniform() < model.loss;
    this.changeTo(model);
  }

  /** Loses in another way from now on. A burst that has begun goes on as long as the new ones. */
  changeTo(model: LossModel): void {
    const { loss, meanBurst } = model;
    if (loss === this.#model.loss && meanBurst === this.#model.meanBurst) return;
    this.#model = model;
    this.#goesOn = meanBurst === undefined ? loss : 1 - 1 / meanBurst;
    this.#begins = meanBurst === undefined ? loss : Math.min(1, loss / (1 - loss) / meanBurst);
    // Runs have no memory: what is left of one is drawn anew.
    if (loss > 0) this.#left = this.#runBytes();
    else this.#isLosing = false;
  }

  next(bytes: number): RoundLosses {
    if (this.#begins === 0) return NOTHING;
    const starts: number[] = [];
    let lost = 0;
    for (let at = 0; at < bytes;) {
      if (this.#left <= 0) {
        this.#isLosing = !this.#isLosing;
        this.#left = this.#runBytes();
      }
      const length = Math.min(this.#left, bytes - at);
      if (this.#isLosing) {
        lost += length;
        // The next packet of the run begins where a whole number of packets is left of it.
        for (let start = at + (this.#left % this.#packet); start < at + length; start += this.#packet)
          starts.push(start);
      }
      at += length;
      this.#left -= length;
    }
    return { bytes: lost, starts };
  }

  /** Geometric, of one packet at least. */
  #runBytes(): number {
    const ends = this.#isLosing ? 1 - this.#goesOn : this.#begins;
    const packets = ends >= 1 ? 1 : 1 + Math.floor(Math.log1p(-this.#random.uniform()) / Math.log1p(-ends));
    return Math.min(packets, LONGEST_RUN) * this.#packet;
  }
}
