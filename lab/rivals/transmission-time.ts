import type { ThroughputSample } from '../../src/abr-star/types.js';
import { harmonicMean, latestRates } from './rates.js';

/** How many downloads are looked back on. */
const HISTORY = 5;

/** What is told apart: the time that a download takes over what it would take at the mean rate of those before it. */
export const TIME_RATIOS: readonly number[] = Array.from({ length: 15 }, (_, index) => Math.exp((index - 5) / 4));

/** A layer's units, each with the weights of its inputs and, last, what it begins with. */
export type Layer = readonly (readonly number[])[];

/** One layer of tanh, and one whose outputs are the logarithms of the ratios' chances, up to a constant. */
export interface Network {
  readonly hidden: Layer;
  readonly output: Layer;
}

/** What is known of a link before a download. */
export interface LinkHistory {
  /** Bit/s: harmonic mean of the latest downloads' rates. */
  readonly rate: number;
  /** Logarithms of those rates over the mean, newest first; 0 where there was none. */
  readonly deviations: readonly number[];
}

/** Undefined without a download that says anything. */
export function linkHistory(samples: readonly ThroughputSample[]): LinkHistory | undefined {
  const rates = latestRates(samples, HISTORY);
  if (rates.length === 0) return undefined;
  const rate = harmonicMean(rates);
  const newestFirst = rates.reverse();
  const deviations = Array.from({ length: HISTORY }, (_, age) => Math.log((newestFirst[age] ?? rate) / rate));
  return { rate, deviations };
}

/** Inputs of the network for a download of so many bytes: the history, and how long it should take. */
export function networkInputs({ rate, deviations }: LinkHistory, bytes: number): number[] {
  return [...deviations, Math.log(Math.max(0.01, (bytes * 8) / rate))];
}

export function hiddenUnits({ hidden }: Network, inputs: readonly number[]): number[] {
  return hidden.map((weights) => Math.tanh(activation(weights, inputs)));
}

/** The chance of each of {@link TIME_RATIOS}. */
export function chances({ output }: Network, units: readonly number[]): number[] {
  const logarithms = output.map((weights) => activation(weights, units));
  const highest = Math.max(...logarithms);
  const powers = logarithms.map((logarithm) => Math.exp(logarithm - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

function activation(weights: readonly number[], inputs: readonly number[]): number {
  let sum = weights[inputs.length]!;
  for (let index = 0; index < inputs.length; index++) sum += weights[index]! * inputs[index]!;
  return sum;
}
