import { integerOption, parseCommandLine } from '../../../tools/setup/command-line.mjs';

export const BUNDLE_USAGE = `Usage: npm run simulate -- bundle [options]

Plays a video over two recorded links at once, with every way to deal its bytes out that the player has, and over each of them alone: random
pairs, one of 20 and 1 Mbit/s, and one of which the second link is 400 ms away. Prints the times of segments, the seconds waited (start-up and
stalls) and the bytes that were asked for twice, each beside the better link alone, and whether the player's own schedule reaches its goals.

  --traces SOURCE   as for sessions: files, folders, generators, sets (default lte-like)
  --pairs N         random pairs, 1 to 1000 (default 20)
  --seed S          of pairs, starts, round trips and sizes (default 1)
  --json            one object on standard output

  --help            this text

Exit codes: 0 all went well, 2 bad input.`;

export interface BundleOptions {
  readonly traces: string;
  readonly pairs: number;
  readonly seed: number;
  readonly json: boolean;
}

/** Undefined: help was asked for. Throws a `UserError` that names the option. */
export function parseBundleOptions(args: readonly string[]): BundleOptions | undefined {
  const { values } = parseCommandLine({
    args: [...args],
    options: {
      traces: { type: 'string', default: 'lte-like' },
      pairs: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  return {
    traces: values.traces,
    pairs: integerOption('pairs', values.pairs, { low: 1, high: 1000 }),
    seed: integerOption('seed', values.seed, { low: 0, high: 2 ** 32 - 1 }),
    json: values.json,
  };
}
