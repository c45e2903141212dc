import { traceDuration, type Trace } from './trace.js';

/** What a link carries and how much that varies (thesis, Fig. 6.5). Mbit/s, over seconds. */
export interface Variability {
  readonly name: string;
  readonly seconds: number;
  readonly mean: number;
  readonly deviation: number;
}

export function variabilityOf(trace: Trace): Variability {
  const perSecond = Math.max(1, Math.round(1 / trace.step));
  const rates = Array.from({ length: Math.ceil(trace.rates.length / perSecond) }, (_, second) => {
    const own = trace.rates.slice(second * perSecond, (second + 1) * perSecond);
    return own.reduce((sum, rate) => sum + rate, 0) / own.length / 1e6;
  });
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  const variance = rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0) / rates.length;
  const rounded = (value: number) => Number(value.toFixed(3));
  return {
    name: trace.name,
    seconds: traceDuration(trace),
    mean: rounded(mean),
    deviation: rounded(Math.sqrt(variance)),
  };
}
