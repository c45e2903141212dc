// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { choiceOption, integerOption, numberOption, parseCommandLine } from '../setup/command-line.mjs';
import { root } from '../setup/paths.mjs';
import { UserError } from '../setup/process.mjs';

/** @type {Record<string, string>} */
const labels = JSON.parse(readFileSync(join(root, 'demo/rule-labels.json'), 'utf8'));

/** The rules that the page lists, by name. */
export const RULES = Object.keys(labels);

export const USAGE = `Usage: npm start -- [options]

Prepares a video, serves it and prints the address of a page that plays it over WebTransport with partial reliability.
Without --video: a minute of real footage, made on first use.

  --live            encode the video in real time instead, in a loop, with the time of capture in the picture, and play that with
                    low latency (docs/LIVE.md)
  --latency S       with --live: how far to play behind the capture, 0.2 to 30 s (default 1)
  --video FILE      play this video instead of the sample
  --codec LIST      encode it in h264 (default), av1, hevc or vp9, or in several, the one to prefer first: av1,h264;
                    with --live in h264 or av1
  --duration S      prepare only its first S seconds
  --loss P          drop P % of the packets from server to client (a seeded UDP relay goes in between)
  --seed N          seed of the relay's drops (default 1)
  --rule NAME       abr-star (default), ${RULES.slice(1, -1).join(', ')}
                    (docs/ABR.md), or dashjs: dash.js' own
  --buffer N        buffer length in segments, 1 to 7 (default 7)
  --delivery NAME   auto (default: datagrams unless the rule asks for streams), datagrams (every segment), streams (no
                    datagrams), http (no WebTransport), plain (stock dash.js alone)
  --no-refetch      leave what is missing of a segment as it is, instead of fetching it again before it is played
  --server NAME     aioquic (default), or quiche: much faster, built on first use (needs Rust)
  --port N          the page's port (default 8080)

  --headless        play in headless Chrome instead of printing the page's address
  --seconds S       with --headless: stop after S played seconds (default: play to the end; --live has none)
  --json            with --headless: print one JSON object on standard output
  --screenshot FILE with --headless: a PNG of the page when playback is done

  --help            this text

Exit codes: 0 all went well, 1 playback failed, 2 bad input or the machine lacks something.`;

const SERVERS = ['aioquic', 'quiche'];
const DELIVERIES = ['auto', 'datagrams', 'streams', 'http', 'plain'];

/**
 * Options that mean nothing beside others.
 * @param {ReturnType<typeof parse>} values
 */
function refuseCombinations(values) {
  for (const name of /** @type {const} */ (['seconds', 'json', 'screenshot'])) {
    if (values[name] && !values.headless) throw new UserError(`--${name} can only be used with --headless`);
  }
  if (!values.live) {
    if (values.latency !== undefined) throw new UserError('--latency can only be used with --live');
    return;
  }
  for (const name of /** @type {const} */ (['duration', 'buffer', 'no-refetch'])) {
    if (values[name]) throw new UserError(`--${name} cannot be used with --live`);
  }
  if (values.rule !== undefined && values.rule !== 'dashjs')
    throw new UserError(`--rule with --live must be dashjs, or left out for abr-live, got '${values.rule}'`);
  if (values.headless && values.seconds === undefined)
    throw new UserError('--live --headless needs --seconds: a live stream has no end');
}

/** @param {string[]} args */
function parse(args) {
  return parseCommandLine({
    args,
    options: {
      video: { type: 'string' },
      live: { type: 'boolean', default: false },
      latency: { type: 'string' },
      codec: { type: 'string' },
      duration: { type: 'string' },
      loss: { type: 'string' },
      seed: { type: 'string' },
      rule: { type: 'string' },
      buffer: { type: 'string' },
      delivery: { type: 'string' },
      'no-refetch': { type: 'boolean', default: false },
      server: { type: 'string' },
      port: { type: 'string' },
      headless: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      json: { type: 'boolean', default: false },
      screenshot: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;
}

/** @typedef {ReturnType<typeof parseOptions>} StartOptions */

/** Checks the command line of `npm start`. Throws a `UserError` that names the option. @param {string[]} args */
export function parseOptions(args) {
  const values = parse(args);
  refuseCombinations(values);
  return {
    video: values.video,
    live: values.live,
    latency: numberOption('latency', values.latency, { low: 0.2, high: 30 }),
    codec: values.codec,
    duration: numberOption('duration', values.duration, { low: 1, high: 86_400 }),
    loss: numberOption('loss', values.loss, { low: 0, high: 100 }),
    seed: integerOption('seed', values.seed, { low: 0, high: 2 ** 32 - 1 }) ?? 1,
    rule: choiceOption('rule', values.rule, RULES),
    buffer: integerOption('buffer', values.buffer, { low: 1, high: 7 }),
    delivery: choiceOption('delivery', values.delivery, DELIVERIES),
    refetch: !values['no-refetch'],
    server: choiceOption('server', values.server, SERVERS) ?? 'aioquic',
    port: integerOption('port', values.port, { low: 0, high: 65_535 }),
    headless: values.headless,
    seconds: numberOption('seconds', values.seconds, { low: 0.1, high: 86_400 }),
    json: values.json,
    screenshot: values.screenshot,
    help: values.help,
  };
}
