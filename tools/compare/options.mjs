// @ts-check
import { parseCommandLine } from '../setup/command-line.mjs';
import { UserError } from '../setup/process.mjs';

export const USAGE = `Usage: npm run compare -- [options]

Plays one video three times side by side, each over an emulated link of its own, all three alike: plain dash.js, VOXEL over
streams, VOXEL over datagrams. Prints the address of the page.

  --preset NAME     the link: tunnel (default), lte, starlink, wifi, paths (two links), live (a live stream); --list prints all that this
                    machine has
  --scale F         multiplies the link's rates, 0.25 to 4 (default 1)
  --buffer N        buffer of all players: 1, 2, 3 (default), 5 or 7 segments of 2 s, and one under way; not of a live stream
  --seed N          seed of the losses (default 1)
  --server NAME     aioquic (default), or quiche: much faster, built on first use (needs Rust)
  --port N          the page's port (default 8090)
  --list            print the links and end

  --headless        play in headless Chrome and print the seconds waited
  --runs N          with --headless: play N times, 1 to 100 (default 1)
  --json            with --headless: one JSON object for each run on standard output
  --screenshot FILE with --headless: a picture of the page at the end of the last run
  --width N         of the page in the picture (default 1280)
  --record DIR      play once in headless Chrome and write the run to DIR as a page of static files, which plays it back in any browser
  --help

Exit codes: 0 all went well, 1 playback failed, 2 bad input or the machine lacks something.`;

const BUFFERS = ['1', '2', '3', '5', '7'];

/** @param {string} name @param {string | undefined} text @param {number} low @param {number} high @param {boolean} [isWhole] */
function numberOption(name, text, low, high, isWhole = false) {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !(value >= low && value <= high) || (isWhole && !Number.isInteger(value)))
    throw new UserError(`--${name} must be a ${isWhole ? 'whole ' : ''}number from ${low} to ${high}, got '${text}'`);
  return value;
}

/** @param {string} name @param {string | undefined} text @param {readonly string[]} allowed */
function choiceOption(name, text, allowed) {
  if (text !== undefined && !allowed.includes(text))
    throw new UserError(`--${name} must be one of ${allowed.join(', ')}, got '${text}'`);
  return text;
}

/** @typedef {ReturnType<typeof parseOptions>} CompareOptions */

/** Checks the command line of `npm run compare`. Throws a `UserError` that names the option. @param {string[]} args @param {readonly string[]} presets */
export function parseOptions(args, presets) {
  const { values } = parseCommandLine({
    args,
    options: {
      preset: { type: 'string' },
      scale: { type: 'string' },
      buffer: { type: 'string' },
      seed: { type: 'string' },
      server: { type: 'string' },
      port: { type: 'string' },
      list: { type: 'boolean', default: false },
      headless: { type: 'boolean', default: false },
      runs: { type: 'string' },
      json: { type: 'boolean', default: false },
      screenshot: { type: 'string' },
      width: { type: 'string' },
      record: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const isHeadless = values.headless || values.record !== undefined;
  for (const name of /** @type {const} */ (['runs', 'json', 'screenshot', 'width'])) {
    if (values[name] && !isHeadless) throw new UserError(`--${name} can only be used with --headless`);
  }
  if (values.record !== undefined && values.runs !== undefined)
    throw new UserError('--runs cannot be used with --record: one run is recorded');
  return {
    preset: choiceOption('preset', values.preset, presets) ?? 'tunnel',
    scale: numberOption('scale', values.scale, 0.25, 4),
    buffer: choiceOption('buffer', values.buffer, BUFFERS),
    seed: numberOption('seed', values.seed, 0, 2 ** 32 - 1, true),
    server: choiceOption('server', values.server, ['aioquic', 'quiche']) ?? 'aioquic',
    port: numberOption('port', values.port, 0, 65_535, true),
    list: values.list,
    headless: isHeadless,
    runs: numberOption('runs', values.runs, 1, 100, true) ?? 1,
    json: values.json,
    screenshot: values.screenshot,
    width: numberOption('width', values.width, 320, 3840, true) ?? 1280,
    record: values.record,
    help: values.help,
  };
}
