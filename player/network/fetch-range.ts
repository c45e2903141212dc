import { formatRange, type ByteRange } from '../../src/manifest/byte-range.js';
import { readAtMost } from '../../src/voxel-loader/index.js';
import { describeError, PlayerError } from '../api/errors.js';

/** What a server sent of a file; `range.start` is where `bytes` starts. */
export interface SentRange {
  readonly range: ByteRange;
  readonly bytes: Uint8Array;
  /** Time from the answer's head to its last byte. */
  readonly seconds: number;
  /** Undefined where the server says none, or the page may not read it. */
  readonly etag?: string | undefined;
}

/** Fetches a part of a file; the server may send less, or all of it. Rejects with `PlayerError`. */
export type FetchRange = (
  url: string,
  range: ByteRange,
  options: { readonly signal: AbortSignal; readonly cache: RequestCache },
) => Promise<SentRange>;

/** Milliseconds for one answer. */
const TIMEOUT = 10_000;
/** Largest file that is taken from a server that knows no ranges: two hours take about 1 MB. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

export const fetchRange: FetchRange = async (url, range, { signal, cache }) => {
  try {
    return await request(url, range, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]), cache });
  } catch (error) {
    if (error instanceof PlayerError) throw error;
    throw new PlayerError(error instanceof RangeError ? 'index-refused' : 'index-failed', describeError(error).message);
  }
};

/**
 * Has the browser forget what it has cached of a file that has changed: it would ask for other parts with `if-range`, and be
 * sent the whole file. Never rejects.
 */
export async function refreshCache(url: string): Promise<void> {
  const options: RequestInit = {
    cache: 'reload',
    headers: { Range: 'bytes=0-0' },
    signal: AbortSignal.timeout(TIMEOUT),
  };
  await fetch(url, options)
    .then(({ body }) => body?.cancel())
    .catch(() => undefined);
}

async function request(url: string, range: ByteRange, options: RequestInit): Promise<SentRange> {
  const { start, end } = range;
  const response = await fetch(url, { ...options, headers: { Range: `bytes=${formatRange(range)}` } });
  const { status } = response;
  const headAt = performance.now();
  const seconds = (): number => (performance.now() - headAt) / 1000;
  const etag = response.headers.get('etag') ?? undefined;
  // Other origins have to let pages read it.
  const sent = response.headers.get('content-range');
  if (status === 206 && sent !== null && !sent.startsWith(`bytes ${start}-`)) {
    await response.body?.cancel();
    throw new PlayerError('index-refused', `asked for bytes from ${start} on, got '${sent}'`);
  }
  if (status === 206) {
    const bytes = await readAtMost(response, end - start);
    return { range, bytes, seconds: seconds(), etag };
  }
  if (status === 200) {
    const bytes = await readAtMost(response, MAX_FILE_BYTES);
    return { range: { start: 0, end: bytes.length }, bytes, seconds: seconds(), etag };
  }
  await response.body?.cancel();
  throw new PlayerError(status >= 400 && status < 500 ? 'index-refused' : 'index-failed', `HTTP status ${status}`);
}
