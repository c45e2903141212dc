import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A second of one direction of the link, counted from its first packet; the last may be shorter. */
export interface LinkSecond {
  /** Seconds. */
  readonly start: number;
  readonly deliveredPackets: number;
  readonly deliveredBytes: number;
  /** What the trace would have allowed. */
  readonly capacityBytes: number;
  /** From a packet's arrival until it is sent, mean, ms. */
  readonly sojournMs: number;
  /** How late the emulator was at most, ms. */
  readonly lateMs: number;
}

export function readLinkLog(folder: string, path: string, direction: 'down' | 'up'): LinkSecond[] {
  return parseLinkLog(readFileSync(join(folder, `${path}-${direction}.csv`), 'utf8'));
}

/** linkemu's CSV. */
export function parseLinkLog(text: string): LinkSecond[] {
  const [header, ...lines] = text.trim().split('\n');
  const names = header!.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    const cell = (name: string) => Number(cells[names.indexOf(name)]);
    return {
      start: cell('second'),
      deliveredPackets: cell('delivered_packets'),
      deliveredBytes: cell('delivered_bytes'),
      capacityBytes: cell('capacity_bytes'),
      sojournMs: cell('sojourn_ms_mean'),
      lateMs: cell('late_us_max') / 1000,
    };
  });
}

/**
 * Share of what the link, all of its paths together, could carry that was left unused in the whole seconds from `from` to `to`: on a link of constant rate the
 * share of the time in which its queue was empty and nothing passed. Null: there is no whole second.
 */
export function idleShare(seconds: readonly LinkSecond[], from: number, to: number): number | null {
  const between = seconds.filter(({ start }) => start >= from && start + 1 <= to);
  const capacity = between.reduce((sum, { capacityBytes }) => sum + capacityBytes, 0);
  if (capacity === 0) return null;
  return Math.max(0, 1 - between.reduce((sum, { deliveredBytes }) => sum + deliveredBytes, 0) / capacity);
}
