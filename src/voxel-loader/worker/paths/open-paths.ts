import { SCHEDULES, type ScheduleName } from '../../../delivery/schedules.js';
import type { Endpoint, PathEndpoint, PathReport } from '../../types.js';
import { openSession, type WebTransportConstructor } from '../session.js';
import type { Session } from '../types.js';
import { Bundle } from './bundle.js';
import { FlowPaths } from './flow-paths.js';
import { Path } from './path.js';

/**
 * As `openSession`; where the endpoint has several paths, all of them are opened, and the session is theirs together: it is open when the
 * first of them is, and rejects when every first attempt has failed. With `hasFlows` connections to its one address come and go with what downloads ask for. `report` is given the state of all paths whenever it changes.
 */
export async function openPaths(
  endpoint: Endpoint,
  constructor?: WebTransportConstructor,
  report: (paths: readonly PathReport[]) => void = () => {},
): Promise<Session> {
  const { schedule = 'voxel', hasFlows } = endpoint;
  const first = { ...endpoint, cost: 0 };
  const endpoints = hasFlows ? [first] : (endpoint.paths ?? []);
  if (endpoints.length < 2 && !hasFlows) return openSession(endpoint, constructor);
  const listener: { changed?: (path: Path) => void } = {};
  const onChanged = (path: Path): void => listener.changed?.(path);
  const open = (one: Endpoint): Promise<Session> => openSession(one, constructor);
  const pathOver = (one: PathEndpoint, id: number): Path => new Path(id, one, { open, onChanged });
  const paths = endpoints.map(pathOver);
  try {
    await Promise.any(paths.map((path) => path.open()));
  } catch (error) {
    for (const path of paths) path.stop();
    throw (error as AggregateError).errors[0];
  }
  const flows = hasFlows ? new FlowPaths(paths[0]!, (id) => pathOver(first, id)) : undefined;
  const bundle = new Bundle(paths, { schedule: SCHEDULES[schedule as ScheduleName], report, flows });
  listener.changed = (path) => bundle.changed(path);
  return bundle;
}
