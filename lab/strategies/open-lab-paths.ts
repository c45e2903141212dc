import type { Endpoint } from '../../src/voxel-loader/types.js';
import { openBundle, openPaths, type PathsOptions } from '../../src/voxel-loader/worker/paths/open-paths.js';
import type { WebTransportConstructor } from '../../src/voxel-loader/worker/session.js';
import type { Session } from '../../src/voxel-loader/worker/types.js';
import { ConnectionPaths } from './connection-paths.js';
import { SCHEDULES, type ScheduleName } from './schedules.js';

/** What the page tells the worker of this build besides. */
export interface LabEndpoint extends Endpoint {
  /** Schedule by which bytes are dealt out to paths; default `voxel`. */
  readonly schedule?: ScheduleName | undefined;
  /** Whether there are as many connections to this one address as each request says, in place of `paths`. */
  readonly hasConnections?: boolean;
}

/** Opens paths as `openPaths` does, by any schedule, and over connections that come and go with what downloads ask for. */
export function openLabPaths(
  endpoint: LabEndpoint,
  constructor?: WebTransportConstructor,
  report: PathsOptions['report'] = () => {},
): Promise<Session> {
  const { schedule: name = 'voxel', hasConnections, paths = [] } = endpoint;
  const schedule = SCHEDULES[name];
  const options = { constructor, report };
  if (hasConnections) {
    return openBundle([{ ...endpoint, cost: 0 }], options, {
      schedule,
      pool: (first, create) => new ConnectionPaths(first, create),
    });
  }
  if (paths.length < 2) return openPaths(endpoint, constructor, report);
  return openBundle(paths, options, { schedule });
}
