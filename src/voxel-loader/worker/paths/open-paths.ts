import type { Schedule } from '../../../delivery/schedule.js';
import { voxelSchedule } from '../../../delivery/voxel-schedule.js';
import type { Endpoint, PathEndpoint, PathReport } from '../../types.js';
import { openSession, type WebTransportConstructor } from '../session.js';
import type { Session } from '../types.js';
import { Bundle, type PathPool } from './bundle.js';
import { Path } from './path.js';

/** What sessions are opened with; `report` is given the state of all paths whenever it changes. */
export interface PathsOptions {
  readonly constructor?: WebTransportConstructor | undefined;
  readonly report: (paths: readonly PathReport[]) => void;
}

/** How several paths are used together. */
export interface BundleDesign {
  readonly schedule: Schedule;
  /** Makes more paths like the first as downloads ask for them; undefined: paths stay. */
  readonly pool?: (first: Path, create: (id: number) => Path) => PathPool;
}

/** Opens a session as `openSession` does; where the endpoint has several paths, all of them are opened, and the session is theirs together. */
export function openPaths(
  endpoint: Endpoint,
  constructor?: WebTransportConstructor,
  report: PathsOptions['report'] = () => {},
): Promise<Session> {
  const { paths = [] } = endpoint;
  if (paths.length < 2) return openSession(endpoint, constructor);
  return openBundle(paths, { constructor, report }, { schedule: voxelSchedule });
}

/** One session over all these paths: it is open when the first of them is, and rejects when every first attempt has failed. */
export async function openBundle(
  endpoints: readonly PathEndpoint[],
  { constructor, report }: PathsOptions,
  { schedule, pool }: BundleDesign,
): Promise<Session> {
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
  const bundle = new Bundle(paths, {
    schedule,
    report,
    pool: pool?.(paths[0]!, (id) => pathOver(endpoints[0]!, id)),
  });
  listener.changed = (path) => bundle.changed(path);
  return bundle;
}
