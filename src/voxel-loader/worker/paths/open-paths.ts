import { SCHEDULES, type ScheduleName } from '../../../delivery/schedules.js';
import type { Endpoint, PathReport } from '../../types.js';
import { openSession, type WebTransportConstructor } from '../session.js';
import type { Session } from '../types.js';
import { Bundle } from './bundle.js';
import { Path } from './path.js';

/**
 * As `openSession`; where the endpoint has several paths, all of them are opened, and the session is theirs together: it is open when the
 * first of them is, and rejects when every first attempt has failed. `report` is given the state of all paths whenever it changes.
 */
export async function openPaths(
  endpoint: Endpoint,
  constructor?: WebTransportConstructor,
  report: (paths: readonly PathReport[]) => void = () => {},
): Promise<Session> {
  const { paths: endpoints = [], schedule = 'voxel' } = endpoint;
  if (endpoints.length < 2) return openSession(endpoint, constructor);
  const listener: { changed?: (path: Path) => void } = {};
  const onChanged = (path: Path): void => listener.changed?.(path);
  const open = (one: Endpoint): Promise<Session> => openSession(one, constructor);
  const paths = endpoints.map((one, id) => new Path(id, one, { open, onChanged }));
  try {
    await Promise.any(paths.map((path) => path.open()));
  } catch (error) {
    for (const path of paths) path.stop();
    throw (error as AggregateError).errors[0];
  }
  const bundle = new Bundle(paths, { schedule: SCHEDULES[schedule as ScheduleName], report });
  listener.changed = (path) => bundle.changed(path);
  return bundle;
}
