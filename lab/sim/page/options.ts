import { integerOption, parseCommandLine } from '../../../tools/setup/command-line.mjs';
import type { PageExperiment } from './experiment.js';

export const PAGE_USAGE = `Usage: npm run simulate -- page [options]

Loads web pages over two interfaces: the experiment of Socket Intents (Palmer's thesis, chapter 3). 384 scenarios (round
trip and rate of each interface), handcrafted pages and generated ones, each with every policy:

  interface-1, interface-2     one interface alone; the first is what the others are compared with
  round-robin                  the interfaces in turn, object by object
  eaf                          earliest arrival first: the interface where the object is predicted to be here first
  eaf-formula                  the same from rates, round trips and what is under way alone, as a client can reckon it
  eaf-striped                  as eaf, with both interfaces together as a further choice (EAF-MPTCP)
  striped-1, striped-random    always both together, connected over the first or over a random one (MPTCP)

Prints load times over those of interface-1 by page class and scenario group, then the figures of the thesis beside ours, and how much of both
interfaces' rates the player's own schedule gets for segments of a video.

  --pages N      generated pages besides the 17 handcrafted ones, 0 to 1000 (default 12)
  --seed S       seed of generated pages and of striped-random (default 1)
  --json         one object on standard output

  --help         this text

Exit codes: 0 all went well, 2 bad input.`;

export interface PageOptions extends PageExperiment {
  readonly json: boolean;
}

/** Undefined: help was asked for. Throws a `UserError` that names the option. */
export function parsePageOptions(args: readonly string[]): PageOptions | undefined {
  const { values } = parseCommandLine({
    args: [...args],
    options: {
      pages: { type: 'string', default: '12' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  return {
    pages: integerOption('pages', values.pages, { low: 0, high: 1000 }),
    seed: integerOption('seed', values.seed, { low: 0, high: 2 ** 32 - 1 }),
    json: values.json,
  };
}
