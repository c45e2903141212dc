import { readFileSync } from 'node:fs';
import { UserError } from '../../tools/setup/process.mjs';
import type { Experiment, SessionResult } from './experiment.js';
import { mean, median } from './report/statistics.js';
import { readTraces } from './link/trace-source.js';

/** Sabre's names for the rules that we have, too. Without a strategy's help, as it has none. */
const PEER_NAMES: Record<string, string> = { 'bola-e+clipstream': 'bolae', 'tput+clipstream': 'throughput' };

/** How far our rule is from Sabre's over the same traces; ratios of 1. */
export interface PeerComparison {
  readonly abr: string;
  readonly buffer: number;
  readonly traces: number;
  /** Median over traces of the absolute difference of bufRatio, each capped at 1. */
  readonly bufRatioDifference: number;
  /** Median over traces of the absolute difference of the bitrate against Sabre's. */
  readonly bitrateDifference: number;
  /** Mean differences with their sign. */
  readonly bufRatioBias: number;
  readonly bitrateBias: number;
}

/** What Sabre's reference figures were made with: `traces` is the folder of the 86 3G logs. */
export function peerExperiment(traces: string): Experiment {
  return {
    traces: readTraces(traces, 0),
    shifts: 1,
    rules: Object.keys(PEER_NAMES),
    buffers: [1, 3, 7],
    content: 'cbr',
    segments: 75,
    transport: { kind: 'flat', latency: 0.1 },
    seed: 0,
  };
}

/** Compares the results of `peerExperiment` with the figures in Sabre's file. Throws a `UserError` where one is missing. */
export function compareWithPeer(results: readonly SessionResult[], referenceFile: string): PeerComparison[] {
  const reference = readReference(referenceFile);
  const { rules, buffers } = { rules: Object.keys(PEER_NAMES), buffers: [...new Set(results.map((r) => r.buffer))] };
  return rules.flatMap((abr) =>
    buffers.map((buffer) => {
      const own = results.filter((result) => result.abr === abr && result.buffer === buffer);
      const pairs = own.map((ours) => {
        const theirs = reference.get(`${PEER_NAMES[abr]!}/${buffer}/${ours.trace.replace(/^report\./, '')}`);
        if (!theirs)
          throw new UserError(
            `${referenceFile}: expected a line for ${abr}, buffer ${buffer}, ${ours.trace}, found none`,
          );
        return {
          bufRatio: ours.bufRatio - Math.min(1, theirs.bufRatio),
          bitrate: ours.bitrate / theirs.bitrate - 1,
        };
      });
      return { abr, buffer, traces: pairs.length, ...summaryOf(pairs) };
    }),
  );
}

function summaryOf(pairs: readonly { readonly bufRatio: number; readonly bitrate: number }[]) {
  const bufRatios = pairs.map(({ bufRatio }) => bufRatio);
  const bitrates = pairs.map(({ bitrate }) => bitrate);
  return {
    bufRatioDifference: median(bufRatios.map(Math.abs)),
    bitrateDifference: median(bitrates.map(Math.abs)),
    bufRatioBias: mean(bufRatios),
    bitrateBias: mean(bitrates),
  };
}

/** Figures by `algorithm/buffer/trace`. Columns: algorithm, buffer_segments, trace, buf_ratio, kbps, … */
function readReference(file: string): Map<string, { readonly bufRatio: number; readonly bitrate: number }> {
  const [, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [algorithm, buffer, trace, bufRatio, kbps] = line.split(',');
      return [`${algorithm!}/${buffer!}/${trace!}`, { bufRatio: Number(bufRatio), bitrate: 1000 * Number(kbps) }];
    }),
  );
}
