import { openSession, type OpenSession } from '../session.js';
import { loadPart } from './load-part.js';

/** Opens a session as `openSession` does; what takes several paths together is loaded where an endpoint has them. */
export const loadPaths: OpenSession = async (endpoint, constructor, report) => {
  if ((endpoint.paths ?? []).length < 2) return openSession(endpoint, constructor);
  const { openPaths } = await loadPart('paths');
  return openPaths(endpoint, constructor, report);
};
