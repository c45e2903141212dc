import { join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';
import type { Trace } from '../../sim/link/trace.js';
import { readConfig } from '../../trials/config.js';
import type { PathSpec } from '../../trials/path.js';
import type { TraceSpec } from '../../trials/trace-spec.js';
import { tracesOf } from '../../trials/traces.js';

/** Links that controls are tried over, with the video that is played over them. */
export interface LinkSet {
  readonly name: string;
  readonly path: PathSpec;
  readonly traces: readonly Trace[];
  readonly config: ReturnType<typeof readConfig>;
}

/** Delays and losses of a Starlink terminal, as `npm run data` brings them; absent: the generator's. */
const RECORD = join(root, '../shared/data/traces/fjordlink');

/** The links of two matrices of trials, and the first one's traces under recorded delays and losses. */
export function linkSets(): LinkSet[] {
  const [plain, lossy] = ['results-small', 'datagrams-streams'].map((name) =>
    readConfig(join(root, `lab/trials/configs/${name}.json`)),
  ) as [LinkSet['config'], LinkSet['config']];
  const real: TraceSpec[] = plain.traces.map((spec) => ({ ...spec, meanMbps: undefined, conditions: RECORD }));
  const setsOf = (config: LinkSet['config'], label: string, traces = tracesOf(config)): LinkSet[] =>
    config.paths.map((path) => ({ name: `${label}, ${path.name}`, path, traces, config }));
  return [
    ...setsOf(plain, 'LTE and 3G'),
    ...setsOf(lossy, 'LTE'),
    // The record's own delay is half of the round trip to the satellite's gateway; a server is a little further.
    {
      ...setsOf(plain, '')[0]!,
      name: 'LTE and 3G, a satellite’s losses',
      traces: tracesOf({ ...plain, traces: real }),
    },
  ];
}
