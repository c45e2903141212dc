import { SAFE_SYMBOL, type Parity } from '../coding/symbols.js';
import { RECOVERY_ROUND_TRIPS, TIME_THRESHOLD } from './recovery.js';

/** What is known of a segment, and of the link, when it is asked for. */
export interface ProtectionNeed {
  readonly bytesReliable: number;
  /** Those of the unreliable bytes that are asked for, most valuable first; they are sent after the reliable ones. */
  readonly bytesUnreliable: number;
  /** Milliseconds until the buffer runs out; undefined: there is no hurry. */
  readonly deadline: number | undefined;
  /** Bit/s; undefined: not known yet. */
  readonly throughput: number | undefined;
  /** Milliseconds. */
  readonly roundTrip: number;
  /** Share of datagrams that are lost on the way, whatever becomes of them; undefined: not known yet. */
  readonly lossRate: number | undefined;
}

/** Which of a segment's datagrams get parity, and how much. */
export type Protection = (need: ProtectionNeed) => Parity | undefined;

/** None: losses are asked for again, or stay. */
export const noParity: Protection = () => undefined;

/** 18 data and 6 parity symbols for every range, which is a frame or a slice of one, whatever the link does (ClipStreamFEC). */
export const frameParity: Protection = () => ({ amounts: [6], block: 18, always: true });

/** Data symbols of a block, at most: the longer it is, the less parity is needed, and the later what is lost of it is filled. */
const LONGEST_BLOCK = 128;

/** And at least: below that all blocks are long, although some of what they protect could be asked for again. */
const SHORTEST_BLOCK = 16;

/** How many blocks can have an amount of their own; the last holds for all further ones. */
const MAX_AMOUNTS = 64;

/** Parity symbols for each data symbol, at most: ClipStreamFEC's. */
const MAX_SHARE = 1 / 3;

/** Share of the throughput that is counted on to come before the buffer runs out. */
const COUNTED_ON = 0.8;

/** Share of a block's data that may stay lost: at the beginning of the unreliable part, and at its end, where bytes are worth least. */
const LEAST_RESIDUAL = 0.001;
const MOST_RESIDUAL = 0.01;

/** Round trips from a segment's request to a repeat of its first byte, which is missed once it should be here. */
const REPEAT_ROUND_TRIPS = 1 + TIME_THRESHOLD + RECOVERY_ROUND_TRIPS;

/**
 * Parity for the bytes at the tail of a segment that would be asked for again too late: enough that little of each block stays
 * lost if losses are independent, as far as there is time for it that nothing else would use: on a link that is full, more
 * video is worth more. None without a loss so far.
 */
export const parityForTheTail: Protection = (need) => {
  const { bytesReliable, bytesUnreliable, deadline, throughput, roundTrip, lossRate = 0 } = need;
  if (deadline === undefined || throughput === undefined || !(lossRate > 0)) return undefined;
  const bytesBy = (time: number) => (throughput / 8000) * Math.max(0, time);
  const recoverable = symbolsIn(bytesBy(deadline - REPEAT_ROUND_TRIPS * roundTrip) - bytesReliable);
  let spare = symbolsIn(COUNTED_ON * bytesBy(deadline - roundTrip) - bytesReliable - bytesUnreliable);
  // A block that ends where the tail begins.
  const block = recoverable < SHORTEST_BLOCK ? LONGEST_BLOCK : Math.min(LONGEST_BLOCK, recoverable);
  const size = block * SAFE_SYMBOL;
  const blocks = Math.min(MAX_AMOUNTS, Math.ceil(bytesUnreliable / size));
  const amounts = Array.from({ length: blocks }, (_, index) => {
    const end = Math.min(bytesUnreliable, (index + 1) * size);
    if (end <= recoverable * SAFE_SYMBOL) return 0;
    const symbols = Math.ceil((end - index * size) / SAFE_SYMBOL);
    const place = (index * size) / bytesUnreliable;
    const wanted = paritySymbols(symbols, lossRate, LEAST_RESIDUAL * (MOST_RESIDUAL / LEAST_RESIDUAL) ** place);
    const amount = Math.min(wanted, spare);
    spare -= amount;
    return amount;
  });
  return amounts.some((amount) => amount > 0) ? { amounts, block, symbol: SAFE_SYMBOL } : undefined;
};

/** Whole ones. */
function symbolsIn(bytes: number): number {
  return Math.max(0, Math.floor(bytes / SAFE_SYMBOL));
}

/** The least parity with which no more than `residual` of `symbols` stays lost, or as much as is allowed. */
function paritySymbols(symbols: number, lossRate: number, residual: number): number {
  const most = Math.ceil(symbols * MAX_SHARE);
  let parity = 0;
  while (parity < most && residualLoss(symbols, parity, lossRate) > residual) parity++;
  return parity;
}

/**
 * Share of a block's data that stays lost with so many parity symbols, by expectation: what is lost of a block that lost more
 * symbols than it has parity. Every symbol is lost with the probability `lossRate`, by itself.
 */
export function residualLoss(symbols: number, parity: number, lossRate: number): number {
  const sent = symbols + parity;
  // The expected share of lost symbols, less that of blocks which can be filled.
  let residual = lossRate;
  let probability = (1 - lossRate) ** sent;
  for (let lost = 0; lost <= parity; lost++) {
    residual -= (probability * lost) / sent;
    probability *= ((sent - lost) / (lost + 1)) * (lossRate / (1 - lossRate));
  }
  return residual;
}
