import { VoxelError } from './errors.js';
import { PROTOCOL } from './protocol.js';
import { readAtMost } from './read-at-most.js';
import type { Endpoint } from './types.js';

const DISCOVERY_PATH = '/.well-known/voxel.json';
const DISCOVERY_TIMEOUT_MS = 5_000;
/** Ours have some hundred. */
const MAX_ANSWER_BYTES = 64 * 1024;
const SHA256_BYTES = 32;

/** Asks for an absolute URL, as `fetch` does. */
export type Ask = (url: string, init: RequestInit) => Promise<Response>;

const plainly: Ask = (url, init) => fetch(url, init);

/**
 * Asks the origin of `manifestUrl` (absolute) where its VOXEL server is. Rejects with `VoxelError` code
 * `discovery-failed` when there is no usable answer: plain HTTP then. Its `status` is the server's, where that is the reason.
 * `parse` checks the answer.
 */
export async function discoverEndpoint(
  manifestUrl: string,
  signal: AbortSignal,
  parse: (answer: unknown) => Endpoint = parseDiscovery,
  ask = plainly,
): Promise<Endpoint> {
  let answer: unknown;
  try {
    const response = await ask(new URL(DISCOVERY_PATH, manifestUrl).href, {
      // A certificate lives for days only: a cached hash may be one of the past.
      cache: 'no-cache',
      signal: AbortSignal.any([signal, AbortSignal.timeout(DISCOVERY_TIMEOUT_MS)]),
    });
    if (!response.ok) throw failed(`${DISCOVERY_PATH}: HTTP ${response.status}`, { status: response.status });
    answer = JSON.parse(new TextDecoder().decode(await readAtMost(response, MAX_ANSWER_BYTES)));
  } catch (cause) {
    if (cause instanceof VoxelError) throw cause;
    throw failed(`${DISCOVERY_PATH} could not be read`, { cause });
  }
  return parse(answer);
}

/** Resolves when that origin answers over HTTP, whatever it says; rejects when it does not. */
export async function probeOrigin(origin: string, ask = plainly): Promise<void> {
  const signal = AbortSignal.timeout(DISCOVERY_TIMEOUT_MS);
  await ask(new URL(DISCOVERY_PATH, origin).href, { method: 'HEAD', cache: 'no-store', signal });
}

/** Checks the content of `voxel.json`. Throws `VoxelError` code `discovery-failed`. */
export function parseDiscovery(answer: unknown): Endpoint {
  const { endpoint, certificateHashes = [], versions = [PROTOCOL] } = asObject(answer);
  if (typeof endpoint !== 'string')
    throw failed(`endpoint in voxel.json must be a string, got ${JSON.stringify(endpoint)}`);
  if (!isTextArray(certificateHashes)) throw failed('certificateHashes in voxel.json must be a list of strings');
  if (!isTextArray(versions) || !versions.includes(PROTOCOL)) {
    throw failed(`versions in voxel.json must contain ${PROTOCOL}, got ${JSON.stringify(versions)}`);
  }
  return createEndpoint(endpoint, certificateHashes);
}

/** Checks an endpoint; hashes in base64. Throws `VoxelError` code `discovery-failed`. */
export function createEndpoint(url: string, certificateHashes: readonly string[] = []): Endpoint {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:' || parsed.href.includes('#')) {
    throw failed(`the endpoint must be an https URL without a fragment, got ${JSON.stringify(url)}`);
  }
  return { url: parsed.href, certificateHashes: certificateHashes.map(decodeHash) };
}

function decodeHash(base64: string): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw failed(`a certificate hash must be base64, got ${JSON.stringify(base64)}`, { cause });
  }
  if (bytes.length !== SHA256_BYTES) {
    throw failed(`a certificate hash must have the ${SHA256_BYTES} bytes of a SHA-256, got ${bytes.length}`);
  }
  return bytes;
}

export function asObject(value: unknown, name = 'voxel.json'): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw failed(`${name} must be a JSON object`);
  return value as Record<string, unknown>;
}

export function isTextArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

export function failed(message: string, options?: { readonly cause?: unknown; readonly status?: number }): VoxelError {
  return new VoxelError('discovery-failed', message, options);
}
