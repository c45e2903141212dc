// @ts-check
// How files of others become tables that `--traces` and `--conditions` read.
import { gunzipSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';

/**
 * By the names that the manifest has: the original's content, and the name of what is made of it without its extension.
 * @type {Record<'bytes-per-second' | 'rates' | 'throughput-log' | 'terminal-pings' | 'ping-log', (original: Buffer, name: string) => Buffer | Promise<Buffer>>}
 */
export const CONVERSIONS = {
  'bytes-per-second': (original) => tableOfRates(lastColumn(original, /\s+/).map((bytes) => (bytes * 8) / 1e6)),
  rates: (original) => tableOfRates(lastColumn(original, /\t/)),
  'throughput-log': (original) => tableOfRates(throughputs(original), THROUGHPUT_STEP),
  'terminal-pings': conditionsOfTerminal,
  'ping-log': conditionsOfPings,
};

/** Lines are half a second apart, but for pauses between downloads. */
const THROUGHPUT_STEP = 0.5;

/** @param {number[]} mbps @param {number} [step] seconds @returns {Buffer} */
function tableOfRates(mbps, step = 1) {
  return Buffer.from(`second,mbps\n${mbps.map((rate, index) => `${index * step},${rate.toFixed(6)}\n`).join('')}`);
}

/** Numbers at the ends of lines: a time, then bytes or Mbit/s. @param {Buffer} original @param {RegExp} separator */
function lastColumn(original, separator) {
  const lines = original.toString('utf8').trim().split('\n');
  return lines.map((line) => Number(line.split(separator)[1]));
}

/** Mbit/s of `time,throughput_mbps,…`. @param {Buffer} original */
function throughputs(original) {
  return rowsOf(original).map(([, mbps]) => Number(mbps));
}

/** Cells of the lines under a header. @param {Buffer} original */
function rowsOf(original) {
  return original
    .toString('utf8')
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.split(','));
}

/** @param {readonly { delayMs: number, lossPercent: number }[]} seconds */
function tableOfConditions(seconds) {
  const lines = seconds.map(
    ({ delayMs, lossPercent }, second) => `${second},${delayMs.toFixed(2)},${lossPercent.toFixed(2)}\n`,
  );
  return Buffer.from(`second,delay_ms,loss_percent\n${lines.join('')}`);
}

const LOSS = 'dish_status.pop_ping_drop_rate';
const ROUND_TRIP = 'dish_status.pop_ping_latency_ms';

/**
 * A Starlink terminal's own record of its pings, a row a second, as a table of conditions: half of the round trip, which in a second
 * without an answer is the one before.
 * @param {Buffer} original @returns {Promise<Buffer>}
 */
async function conditionsOfTerminal(original) {
  const rows = await parquetReadObjects({
    file: Uint8Array.from(original).buffer,
    columns: [LOSS, ROUND_TRIP],
    compressors: { GZIP: (compressed) => gunzipSync(compressed) },
  });
  let roundTrip = rows.find((row) => row[ROUND_TRIP] > 0)?.[ROUND_TRIP] ?? 0;
  return tableOfConditions(
    rows.map((row) => {
      if (row[ROUND_TRIP] > 0) roundTrip = row[ROUND_TRIP];
      return { delayMs: roundTrip / 2, lossPercent: 100 * (row[LOSS] ?? 0) };
    }),
  );
}

/** Milliseconds between two pings, and what is another run of them. */
const PING_EVERY = 200;
const PAUSE = 10_000;

/**
 * One sender's lines of `time,rtt_ms,operator`, where what was not answered has none, as a table of conditions: half of the round trips of a
 * second, or of the second before, and the share of its pings that is missing. Runs follow each other, whole seconds of each.
 * @param {Buffer} original @param {string} operator @returns {Buffer}
 */
function conditionsOfPings(original, operator) {
  const pings = rowsOf(original)
    .filter(([, , sender]) => sender === operator)
    .map(([time, roundTrip]) => ({ sent: Date.parse(time ?? '') - Number(roundTrip), roundTrip: Number(roundTrip) }))
    .sort((a, b) => a.sent - b.sent);
  /** @type {(typeof pings)[]} */
  const runs = [];
  pings.forEach((ping, index) => {
    if (index === 0 || ping.sent - /** @type {typeof ping} */ (pings[index - 1]).sent > PAUSE) runs.push([]);
    runs.at(-1)?.push(ping);
  });
  return tableOfConditions(runs.flatMap(secondsOfRun));
}

/** @param {{ sent: number, roundTrip: number }[]} run */
function secondsOfRun(run) {
  const first = run[0]?.sent ?? 0;
  const pings = run.flatMap((ping, index) => [...unanswered(run[index - 1], ping), ping]);
  const count = Math.floor(((run.at(-1)?.sent ?? 0) - first + PING_EVERY) / 1000);
  let roundTrip = run[0]?.roundTrip ?? 0;
  return Array.from({ length: count }, (_, second) => {
    const sent = pings.filter((ping) => Math.floor((ping.sent - first) / 1000) === second);
    const answers = sent.flatMap((ping) => ping.roundTrip ?? []);
    if (answers.length > 0) roundTrip = answers.reduce((sum, each) => sum + each) / answers.length;
    return { delayMs: roundTrip / 2, lossPercent: (100 * (sent.length - answers.length)) / Math.max(1, sent.length) };
  });
}

/**
 * Pings between two that were answered.
 * @param {{ sent: number } | undefined} before @param {{ sent: number }} after
 * @returns {{ sent: number, roundTrip?: number }[]}
 */
function unanswered(before, after) {
  if (!before) return [];
  const steps = Math.round((after.sent - before.sent) / PING_EVERY);
  const step = (after.sent - before.sent) / steps;
  return Array.from({ length: Math.max(0, steps - 1) }, (_, index) => ({ sent: before.sent + (index + 1) * step }));
}
