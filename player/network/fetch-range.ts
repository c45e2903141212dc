import { formatRange, type ByteRange } from '../../src/manifest/byte-range.js';
import { readAtMost, type Ask } from '../../src/voxel-loader/index.js';
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

/** `ask`: how servers are asked. */
export function fetchRangeBy(ask: Ask): FetchRange {
  return async (url, range, { signal, cache }) => {
    const options = { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]), cache };
    try {
      const response = await ask(url, { ...options, headers: { Range: `bytes=${formatRange(range)}` } });
      return await read(response, range);
    } catch (error) {
      if (error instanceof PlayerError) throw error;
      const code = error instanceof RangeError ? 'index-refused' : 'index-failed';
      throw new PlayerError(code, describeError(error).message);
    }
  };
}

/**
 * Has the browser forget what it has cached of a file that has changed: it would ask for other parts with `if-range`, and be
 * sent the whole file. Never rejects.
 */
export async function refreshCache(url: string, ask: Ask): Promise<void> {
  const options: RequestInit = {
    cache: 'reload',
    headers: { Range: 'bytes=0-0' },
    signal: AbortSignal.timeout(TIMEOUT),
  };
  await ask(url, options)
    .then(({ body }) => body?.cancel())
    .catch(() => undefined);
}

/** Statuses of a server that wants to know who asks: it may answer otherwise once that has changed. */
const isUnauthorized = (status: number): boolean => status === 401 || status === 403;

async function read(response: Response, range: ByteRange): Promise<SentRange> {
  const { start, end } = range;
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
  const isFinal = status >= 400 && status < 500 && !isUnauthorized(status);
  throw new PlayerError(isFinal ? 'index-refused' : 'index-failed', `HTTP status ${status}`);
}
