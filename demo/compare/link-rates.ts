import type { LinkMoment } from './types.js';

/** What a link could carry and carried in a stretch of time. */
export interface LinkRate {
  /** Seconds since the start: of the end of the stretch. */
  readonly at: number;
  /** Bit/s. */
  readonly capacity: number;
  readonly sent: readonly number[];
}

/** Longer than single packets of a slow link take, so that they do not look like pulses, s. */
const STRETCH = 0.5;

/** The rates between moments, which count from the start. */
export function linkRates(moments: readonly LinkMoment[]): LinkRate[] {
  const rates: LinkRate[] = [];
  let before: LinkMoment = { at: 0, capacity: 0, sent: [], lost: [] };
  for (const moment of moments) {
    const seconds = moment.at - before.at;
    if (seconds < STRETCH) continue;
    const rate = (bytes: number, former: number) => (8 * (bytes - former)) / seconds;
    rates.push({
      at: moment.at,
      capacity: rate(moment.capacity, before.capacity),
      sent: moment.sent.map((bytes, place) => rate(bytes, before.sent[place] ?? 0)),
    });
    before = moment;
  }
  return rates;
}
