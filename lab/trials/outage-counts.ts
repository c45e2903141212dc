import type { Outage } from './outage.js';
import type { PathMoment, Sample } from './page/types.js';

/** More than what waited in a path's queue when it went: with so many bytes it is used again. */
const USED_BYTES = 65_536;

/** What a player made of an outage of one of its paths. Seconds. */
export interface OutageCounts extends Outage {
  /** How often it said that the path has failed, until the next outage. */
  readonly failures: number;
  /** From the end of the outage until the path was used again; null: it was not before the next. */
  readonly usedAgain: number | null;
}

interface Seen {
  readonly samples: readonly Sample[];
  /** Moments of this path alone. */
  readonly moments: readonly PathMoment[];
}

/** `path`: its place among those that samples have. The page's clock begins a few hundredths of a second before the link's. */
export function countOutages(outages: readonly Outage[], path: number, { samples, moments }: Seen): OutageCounts[] {
  return outages.map(({ start, stop }, index) => {
    const next = outages[index + 1]?.start ?? Infinity;
    let came = 0;
    const used = samples.find(({ at, pathBytes }, place) => {
      // A player that begins anew counts from 0.
      const more = Math.max(0, (pathBytes?.[path] ?? 0) - (samples[place - 1]?.pathBytes?.[path] ?? 0));
      if (at > stop && at < next) came += more;
      return came >= USED_BYTES;
    });
    const failed = moments.filter(({ at, state }) => state === 'failed' && at >= start && at < next);
    return { start, stop, failures: failed.length, usedAgain: used ? used.at - stop : null };
  });
}
