// @ts-check
import { choiceOption, integerOption, numberOption, parseCommandLine } from '../setup/command-line.mjs';
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
    scale: numberOption('scale', values.scale, { low: 0.25, high: 4 }),
    buffer: choiceOption('buffer', values.buffer, BUFFERS),
    seed: integerOption('seed', values.seed, { low: 0, high: 2 ** 32 - 1 }),
    server: choiceOption('server', values.server, ['aioquic', 'quiche']) ?? 'aioquic',
    port: integerOption('port', values.port, { low: 0, high: 65_535 }),
    list: values.list,
    headless: isHeadless,
    runs: integerOption('runs', values.runs, { low: 1, high: 100 }) ?? 1,
    json: values.json,
    screenshot: values.screenshot,
    width: integerOption('width', values.width, { low: 320, high: 3840 }) ?? 1280,
    record: values.record,
    help: values.help,
  };
}
