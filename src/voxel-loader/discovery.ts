import type { Endpoint } from './types.js';

/** Checks what a page configured. Throws `VoxelError` code `discovery-failed`. */
export function createEndpoint(_url: string, _certificateHashes: readonly string[] = []): Endpoint {
  throw new Error('being written');
}

/** Asks the origin of `manifestUrl` for `/.well-known/voxel.json`. Rejects with `VoxelError` code `discovery-failed`. */
export function discoverEndpoint(_manifestUrl: string, _signal?: AbortSignal): Promise<Endpoint> {
  return Promise.reject(new Error('being written'));
}
