import { UserError } from '../../../tools/setup/process.mjs';
import { evenRows, linesOf } from './rows.js';

/** How long packets travel, and how they are lost, besides what the path does by itself. */
export interface Conditions {
  /** Each way. */
  readonly delayMs: number;
  /** Percent of the packets from the server to the client. */
  readonly lossPercent: number;
  /** Packets that are lost in a row on average. Absent: losses are independent of each other. */
  readonly meanBurst?: number;
}

/** What follows the columns before, in a header. */
export const CONDITION_COLUMNS = [',delay_ms,loss_percent', ',delay_ms,loss_percent,mean_burst'] as const;

/** For messages. */
export const OPTIONAL_COLUMNS = 'delay_ms,loss_percent[,mean_burst]';

/** A minute: more is a mistake in the unit. */
const MOST_DELAY_MS = 60_000;

/** Packets. Longer gaps are outages, which a trace has. */
const MOST_BURST = 10_000;

/** A record of conditions without rates. */
export interface ConditionRecord {
  readonly name: string;
  /** Seconds. */
  readonly step: number;
  readonly conditions: readonly Conditions[];
}

/** Lines of `second,delay_ms,loss_percent`, with or without `mean_burst`, under a header. Throws a `UserError` that names the line. */
export function parseConditions(name: string, text: string): ConditionRecord {
  const [header, ...lines] = linesOf(text);
  const columns = (header ?? '').replaceAll(/\s/g, '');
  if (!CONDITION_COLUMNS.some((rest) => columns === `second${rest}`))
    throw new UserError(`${name}:1: the header must be second,${OPTIONAL_COLUMNS}, got '${header ?? ''}'`);
  if (lines.length === 0) throw new UserError(`${name}: the record is empty`);
  const { step, rows } = evenRows(name, lines, { separator: ',', firstLine: 2, columns: columns.split(',').length });
  return { name, step, conditions: rows.map(([, ...rest], index) => conditionsOf(rest, `${name}:${index + 2}`)) };
}

/** Those of a line's columns: ms, percent and, if there is a third, packets. Throws a `UserError` that names the `place`. */
export function conditionsOf(
  [delayMs, lossPercent, meanBurst]: readonly (number | undefined)[],
  place: string,
): Conditions {
  if (!(delayMs! >= 0 && delayMs! <= MOST_DELAY_MS))
    throw new UserError(`${place}: delay_ms must be from 0 to ${MOST_DELAY_MS}, got ${delayMs}`);
  if (!(lossPercent! >= 0 && lossPercent! <= 100))
    throw new UserError(`${place}: loss_percent must be from 0 to 100, got ${lossPercent}`);
  if (meanBurst === undefined) return { delayMs: delayMs!, lossPercent: lossPercent! };
  if (!(meanBurst >= 1 && meanBurst <= MOST_BURST))
    throw new UserError(`${place}: mean_burst must be from 1 to ${MOST_BURST}, got ${meanBurst}`);
  const most = (100 * meanBurst) / (meanBurst + 1);
  if (lossPercent! > most)
    throw new UserError(
      `${place}: bursts of ${meanBurst} packets lose at most ${most.toFixed(2)} %, got ${lossPercent}`,
    );
  return { delayMs: delayMs!, lossPercent: lossPercent!, meanBurst };
}
