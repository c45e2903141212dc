import { integerOption, parseCommandLine } from '../../../tools/setup/command-line.mjs';
import type { FlowsExperiment } from './figures.js';

export const FLOWS_USAGE = `Usage: npm run simulate -- flows [options]

Plays a video over N connections to one server beside M bulk flows: the experiments of Adaptive Chunklets (Kua et al., Figs. 4, 6, 12 and 13).
12 Mbit/s and 20 ms, with a queue of 340 packets (FIFO), PIE or FQ-CoDel of 1000; every packet of every flow is simulated. Rules for N:

  fixed N      always the same
  adaptive     as published: probes with one more and one less
  voxel        the plugin's own: capacity and rivals from two probes

Prints the paper's headlines beside ours, then the figures.

  --seconds N    of each playback beside flows that are there all the time, 60 to 450 (default 150; the paper has 450)
  --seed S       seed of segment sizes, of the flows' starts and of PIE (default 1)
  --json         one object on standard output

  --help         this text

Exit codes: 0 all went well, 2 bad input.`;

export interface FlowsOptions extends FlowsExperiment {
  readonly json: boolean;
}

/** Undefined: help was asked for. Throws a `UserError` that names the option. */
export function parseFlowsOptions(args: readonly string[]): FlowsOptions | undefined {
  const { values } = parseCommandLine({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '150' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  return {
    seconds: integerOption('seconds', values.seconds, { low: 60, high: 450 }),
    seed: integerOption('seed', values.seed, { low: 0, high: 2 ** 32 - 1 }),
    json: values.json,
  };
}
