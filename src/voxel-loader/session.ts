import type { VoxelTransport } from './transport.js';
import type { Endpoint } from './types.js';

/** Opens a WebTransport session. Rejects with `VoxelError` code `unsupported` or `session-failed`. */
export function openSession(
  _endpoint: Endpoint,
  _options: { readonly readyTimeout?: number } = {},
): Promise<VoxelTransport> {
  return Promise.reject(new Error('being written'));
}
