import { asObject, createEndpoint, failed, isTextArray, parseDiscovery } from './discovery.js';
import type { Endpoint, PathEndpoint } from './types.js';

/** Each has a session of its own. */
const MAX_PATHS = 8;

/** One address of a service, as options and `voxel.json` have it; hashes in base64. */
export interface PathDescription {
  readonly url: string;
  readonly certificateHashes?: readonly string[] | undefined;
  readonly cost?: number | undefined;
}

/** Parses as `parseDiscovery` does, with `paths`: `endpoint` is the first of them, and may be named again there. Throws `VoxelError` code `discovery-failed`. */
export function parsePaths(answer: unknown): Endpoint {
  const endpoint = parseDiscovery(answer);
  const { paths } = asObject(answer);
  if (paths === undefined) return endpoint;
  if (!Array.isArray(paths)) throw failed('paths in voxel.json must be a list');
  const described = paths.map((path: unknown): PathDescription => {
    const { endpoint: url, certificateHashes = [], cost } = asObject(path, 'a path in voxel.json');
    if (typeof url !== 'string')
      throw failed(`endpoint of a path in voxel.json must be a string, got ${JSON.stringify(url)}`);
    if (!isTextArray(certificateHashes))
      throw failed('certificateHashes of a path in voxel.json must be a list of strings');
    return { url, certificateHashes, cost: cost as number | undefined };
  });
  const all = described.map(createPath);
  const isNamed = all.some(({ url }) => url === endpoint.url);
  return withPaths([...(isNamed ? [] : [{ ...endpoint, cost: 0 }]), ...all], endpoint.url);
}

/** Checks the addresses that a page names. Throws `VoxelError` code `discovery-failed`. */
export function createPaths(paths: readonly PathDescription[]): Endpoint {
  if (paths.length === 0) throw failed('paths must name an address');
  const all = paths.map(createPath);
  return withPaths(all, all[0]!.url);
}

function createPath({ url, certificateHashes, cost = 0 }: PathDescription): PathEndpoint {
  if (!(Number.isFinite(cost) && cost >= 0))
    throw failed(`the cost of a path must be a number from 0, got ${String(cost)}`);
  return { ...createEndpoint(url, certificateHashes), cost };
}

/** `first`: the URL of the one that comes first. */
function withPaths(all: readonly PathEndpoint[], first: string): Endpoint {
  const urls = new Set(all.map(({ url }) => url));
  if (urls.size < all.length) throw failed('two paths have the same address');
  if (all.length > MAX_PATHS) throw failed(`there may be ${MAX_PATHS} paths, got ${all.length}`);
  const paths = [...all].sort((a, b) => Number(b.url === first) - Number(a.url === first));
  const { url, certificateHashes } = paths[0]!;
  return { url, certificateHashes, paths };
}
