import { derivedSeed, seededRandom } from '../random.js';
import { makeTrace, type Trace } from './trace.js';

/**
 * A mobile link as a random walk: the logarithm of the rate is a first-order autoregression over seconds, interrupted by
 * outages. The parameters are medians over published recordings, as stated below.
 */
interface MobileLink {
  /** Median rate in Mbit/s, and its spread between traces (standard deviation of the logarithm). */
  readonly median: number;
  readonly medianSpread: number;
  /** Standard deviation of the rate's logarithm within a trace, and its correlation from one second to the next. */
  readonly deviation: number;
  readonly correlation: number;
  /** Share of seconds below 50 kbit/s, and the median length of such a stretch in seconds. */
  readonly outageShare: number;
  readonly outageSeconds: number;
  /** Seconds after which the rate is drawn anew, whatever it was: undefined: never. */
  readonly redrawn?: number;
}

/** The 86 logs of Riiser et al. (MMSys 2013); their longest outages, of minutes, are left out. */
const THREE_G: MobileLink = {
  median: 0.87,
  medianSpread: 0.56,
  deviation: 0.8,
  correlation: 0.87,
  outageShare: 0.05,
  outageSeconds: 4,
};

/** Winstein et al. (NSDI 2013), driving, Verizon LTE. */
const LTE: MobileLink = {
  median: 6.7,
  medianSpread: 0.3,
  deviation: 0.98,
  correlation: 0.85,
  outageShare: 0.03,
  outageSeconds: 3,
};

/** Fixed broadband as the FCC measures it: steady for minutes, now and then busy; rates that a ladder up to 10 Mbit/s is made for. */
const FCC: MobileLink = {
  median: 4,
  medianSpread: 0.7,
  deviation: 0.3,
  correlation: 0.97,
  outageShare: 0.002,
  outageSeconds: 2,
};

/** A satellite cell that is shared by many: another satellite every 15 s, and with it another rate; a second without any now and then. */
const STARLINK: MobileLink = {
  median: 6,
  medianSpread: 0.3,
  deviation: 0.6,
  correlation: 0.99,
  outageShare: 0.015,
  outageSeconds: 1,
  redrawn: 15,
};

const TRACES = 10;
const SECONDS = 600;

/** Links for machines without recordings. */
export const GENERATORS = {
  '3g-like': (seed: number) => mobileTraces('3g-like', THREE_G, seed),
  'lte-like': (seed: number) => mobileTraces('lte-like', LTE, seed),
  'fcc-like': (seed: number) => mobileTraces('fcc-like', FCC, seed),
  'starlink-like': (seed: number) => mobileTraces('starlink-like', STARLINK, seed),
};

export type GeneratorName = keyof typeof GENERATORS;

function mobileTraces(label: string, link: MobileLink, seed: number): Trace[] {
  return Array.from({ length: TRACES }, (_, index) => {
    const name = `${label}-${String(index + 1).padStart(2, '0')}`;
    return makeTrace(name, 1, mobileRates(link, derivedSeed(seed, name)));
  });
}

function mobileRates(link: MobileLink, seed: number): number[] {
  const random = seededRandom(seed);
  const centre = Math.log(link.median * 1e6) + link.medianSpread * random.normal();
  const outageChance = link.outageShare / (1 - link.outageShare) / link.outageSeconds;
  let deviation = random.normal();
  let isOut = false;
  return Array.from({ length: SECONDS }, (_, second) => {
    const isRedrawn = link.redrawn !== undefined && second % link.redrawn === 0;
    const correlation = isRedrawn ? 0 : link.correlation;
    deviation = correlation * deviation + Math.sqrt(1 - correlation ** 2) * random.normal();
    isOut = random.uniform() < (isOut ? 1 - 1 / link.outageSeconds : outageChance);
    return isOut ? 0 : Math.exp(centre + link.deviation * deviation);
  });
}
