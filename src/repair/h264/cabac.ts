import { BitWriter } from './bits.js';

/**
 * (m, n) of mb_skip_flag by cabac_init_idc, for ctxIdx 11 in P and 24 in B slices (H.264 table 9-13).
 * ctxIdxInc is always 0: the neighbours are skipped or not available.
 */
const SKIP_CONTEXT_INIT = {
  P: [
    [23, 33],
    [22, 25],
    [29, 16],
  ],
  B: [
    [18, 64],
    [26, 34],
    [20, 40],
  ],
} as const;

// prettier-ignore
/** Range of the least probable symbol in each state, quarter by quarter of the interval (H.264 table 9-44). */
const LPS_RANGE = Uint8Array.of(
  128, 128, 128, 123, 116, 111, 105, 100, 95, 90, 85, 81, 77, 73, 69, 66, 62, 59, 56, 53, 51,
  48, 46, 43, 41, 39, 37, 35, 33, 32, 30, 29, 27, 26, 24, 23, 22, 21, 20, 19, 18, 17,
  16, 15, 14, 14, 13, 12, 12, 11, 11, 10, 10, 9, 9, 8, 8, 7, 7, 7, 6, 6, 6,
  176, 167, 158, 150, 142, 135, 128, 122, 116, 110, 104, 99, 94, 89, 85, 80, 76, 72, 69, 65, 62,
  59, 56, 53, 50, 48, 45, 43, 41, 39, 37, 35, 33, 31, 30, 28, 27, 26, 24, 23, 22, 21,
  20, 19, 18, 17, 16, 15, 14, 14, 13, 12, 12, 11, 11, 10, 9, 9, 9, 8, 8, 7, 7,
  208, 197, 187, 178, 169, 160, 152, 144, 137, 130, 123, 117, 111, 105, 100, 95, 90, 86, 81, 77, 73,
  69, 66, 63, 59, 56, 54, 51, 48, 46, 43, 41, 39, 37, 35, 33, 32, 30, 29, 27, 26, 25,
  23, 22, 21, 20, 19, 18, 17, 16, 15, 15, 14, 13, 12, 12, 11, 11, 10, 10, 9, 9, 8,
  240, 227, 216, 205, 195, 185, 175, 166, 158, 150, 142, 135, 128, 122, 116, 110, 104, 99, 94, 89, 85,
  80, 76, 72, 69, 65, 62, 59, 56, 53, 50, 48, 45, 43, 41, 39, 37, 35, 33, 31, 30, 28,
  27, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 14, 13, 12, 12, 11, 11, 10, 9,
);

// prettier-ignore
/** Next state after a least probable symbol (H.264 table 9-45). */
const NEXT_STATE_LPS = Uint8Array.of(
  0, 0, 1, 2, 2, 4, 4, 5, 6, 7, 8, 9, 9, 11, 11, 12, 13, 13, 15, 15, 16,
  16, 18, 18, 19, 19, 21, 21, 22, 22, 23, 24, 24, 25, 26, 26, 27, 27, 28, 29, 29, 30,
  30, 30, 31, 32, 32, 33, 33, 33, 34, 34, 35, 35, 35, 36, 36, 36, 37, 37, 37, 38, 38,
);

/** Adaptive states, the last one the most skewed. */
const STATES = 63;

/** Arithmetic encoder with one adaptive context (H.264 §9.3.4.2). */
class CabacEncoder {
  readonly #writer: BitWriter;
  #low = 0;
  #range = 510;
  #outstanding = 0;
  #isFirstBit = true;
  #mostProbable: number;
  #state: number;

  /** `preContextState`: preCtxState of §9.3.1.1, 1 to 126. */
  constructor(preContextState: number, writer = new BitWriter()) {
    this.#writer = writer;
    this.#mostProbable = preContextState > 63 ? 1 : 0;
    this.#state = preContextState > 63 ? preContextState - 64 : 63 - preContextState;
  }

  /** Another that goes on from here, while this one goes on by itself. */
  fork(): CabacEncoder {
    const fork = new CabacEncoder(1, this.#writer.fork());
    fork.#low = this.#low;
    fork.#range = this.#range;
    fork.#outstanding = this.#outstanding;
    fork.#isFirstBit = this.#isFirstBit;
    fork.#mostProbable = this.#mostProbable;
    fork.#state = this.#state;
    return fork;
  }

  /** Encodes a decision with the context. */
  encode(bit: number): void {
    const leastRange = LPS_RANGE[STATES * ((this.#range >> 6) & 3) + this.#state]!;
    this.#range -= leastRange;
    if (bit === this.#mostProbable) {
      this.#state = Math.min(this.#state + 1, STATES - 1);
    } else {
      this.#low += this.#range;
      this.#range = leastRange;
      if (this.#state === 0) this.#mostProbable ^= 1;
      this.#state = NEXT_STATE_LPS[this.#state]!;
    }
    this.#renormalise();
  }

  /** Encodes end_of_slice_flag 0. */
  continueSlice(): void {
    this.#range -= 2;
    this.#renormalise();
  }

  /** Encodes end_of_slice_flag 1 and flushes; the last bit written is the rbsp_stop_one_bit. */
  finish(): readonly number[] {
    this.#low += this.#range - 2;
    this.#range = 2;
    this.#renormalise();
    this.#put((this.#low >> 9) & 1);
    this.#writer.bits(((this.#low >> 7) & 3) | 1, 2);
    return this.#writer.toBytes();
  }

  #renormalise(): void {
    while (this.#range < 256) {
      if (this.#low < 256) {
        this.#put(0);
      } else if (this.#low >= 512) {
        this.#low -= 512;
        this.#put(1);
      } else {
        this.#low -= 256;
        this.#outstanding++;
      }
      this.#range <<= 1;
      this.#low <<= 1;
    }
  }

  #put(bit: number): void {
    // The first bit is always 0 and not written (§9.3.4.2).
    if (this.#isFirstBit) this.#isFirstBit = false;
    else this.#writer.bit(bit);
    for (; this.#outstanding > 0; this.#outstanding--) this.#writer.bit(1 - bit);
  }
}

/** Macroblocks from one encoder that is kept to the next: so many are encoded anew for a slice at most. */
const KEPT_EVERY = 1024;

/**
 * The data of slices of which all macroblocks are skipped, which depends on nothing else in the slice. They all begin alike: a
 * longer one goes on from where encoders were kept.
 */
export class SkippedMacroblocks {
  /** The encoder at index n has encoded n · `KEPT_EVERY` macroblocks, none of them the last of its slice. */
  readonly #kept: CabacEncoder[];

  constructor(type: 'P' | 'B', cabacInitIdc: number, qp: number) {
    const [m, n] = SKIP_CONTEXT_INIT[type][cabacInitIdc]!;
    this.#kept = [new CabacEncoder(Math.min(126, Math.max(1, ((m * clipQp(qp)) >> 4) + n)))];
  }

  /** Slice data after cabac_alignment_one_bits and the trailing bits, unescaped; `macroblocks` ≥ 1. */
  data(macroblocks: number): readonly number[] {
    const place = Math.floor((macroblocks - 1) / KEPT_EVERY);
    while (this.#kept.length <= place) this.#kept.push(goOn(this.#kept.at(-1)!, KEPT_EVERY));
    const encoder = goOn(this.#kept[place]!, (macroblocks - 1) % KEPT_EVERY);
    encoder.encode(1);
    return encoder.finish();
  }
}

/** The quantiser that contexts start from: negative ones of higher bit depths count as 0. */
export function clipQp(qp: number): number {
  return Math.min(51, Math.max(0, qp));
}

function goOn(from: CabacEncoder, macroblocks: number): CabacEncoder {
  const encoder = from.fork();
  for (let index = 0; index < macroblocks; index++) {
    encoder.encode(1);
    encoder.continueSlice();
  }
  return encoder;
}
