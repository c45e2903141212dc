import type { Experiment, SessionResult } from '../../sim/experiment.js';
import { BROWSER_PLAYER } from '../../sim/player-model.js';
import { runExperiment } from '../../sim/pool.js';
import { progressLine } from '../../sim/report/progress-line.js';
import { mean, pairedDifference, type Difference } from '../../sim/report/statistics.js';
import { pathModel } from '../../trials/calibrate.js';
import { prepareMedia } from '../../trials/prepare-media.js';
import type { LinkSet } from './links.js';

/** Sessions of `abr-star` with BBR less the same with CUBIC, simulated with voxel-quiche's manners. Seconds, scores. */
export interface Sessions {
  readonly set: string;
  readonly buffer: number;
  readonly pairs: number;
  readonly cubic: { readonly waited: number; readonly score: number; readonly felt: number };
  readonly waited: Difference;
  readonly worst: Difference;
  readonly score: Difference;
  readonly felt: Difference;
}

const RULE = 'abr-star';
const BUFFERS = [1, 3];

export async function sessionsOver(set: LinkSet, starts: number): Promise<Sessions[]> {
  const { config, path, traces, name } = set;
  const media = await prepareMedia(config.videos[0]!);
  const play = (control: 'cubic' | 'bbr') => {
    const experiment: Experiment = {
      ...{ traces, shifts: starts, rules: [RULE], buffers: BUFFERS, content: media.folder, seed: config.seed },
      segments: media.content.segments.length,
      transport: {
        kind: 'quic',
        ...pathModel(path),
        ...{ control, server: 'quiche' },
      },
      player: BROWSER_PLAYER,
    };
    return runExperiment(experiment, { onProgress: progressLine(`${name}, ${control}`) });
  };
  const [cubic, bbr] = [await play('cubic'), await play('bbr')];
  return BUFFERS.map((buffer) => {
    const [theirs, ours] = [cubic, bbr].map((all) => all.filter((result) => result.buffer === buffer)) as [
      SessionResult[],
      SessionResult[],
    ];
    const difference = (measure: (result: SessionResult) => number, statistic?: 'worst') =>
      pairedDifference(
        ours.map((result, index) => ({ trace: result.trace, ours: measure(result), theirs: measure(theirs[index]!) })),
        statistic,
      );
    const of = (measure: (result: SessionResult) => number) => mean(theirs.map(measure));
    return {
      ...{ set: name, buffer, pairs: ours.length },
      cubic: { waited: of(({ waited }) => waited), score: of(({ score }) => score), felt: of(({ felt }) => felt) },
      waited: difference(({ waited }) => waited),
      worst: difference(({ waited }) => waited, 'worst'),
      score: difference(({ score }) => score),
      felt: difference(({ felt }) => felt),
    };
  });
}
