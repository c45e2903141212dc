import type { ByteRange } from '../src/manifest/byte-range.js';
import { describeError, PlayerError } from './errors.js';

/** What a server sent of a file; `range.start` is where `bytes` starts. */
export interface SentRange {
  readonly range: ByteRange;
  readonly bytes: Uint8Array;
}

/** Fetches a part of a file; the server may send less, or all of it. Rejects with `PlayerError`. */
export type FetchRange = (url: string, range: ByteRange, signal: AbortSignal) => Promise<SentRange>;

/** Milliseconds for one answer. */
const TIMEOUT = 10_000;
/** Of a file from a server that knows no ranges: two hours take about 1 MB. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

export const fetchRange: FetchRange = async (url, range, signal) => {
  try {
    return await request(url, range, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]));
  } catch (error) {
    throw error instanceof PlayerError ? error : new PlayerError('index-failed', describeError(error).message);
  }
};

async function request(url: string, { start, end }: ByteRange, signal: AbortSignal): Promise<SentRange> {
  const response = await fetch(url, { headers: { Range: `bytes=${start}-${end - 1}` }, signal });
  const { status } = response;
  // Other origins have to let pages read it.
  const sent = response.headers.get('content-range');
  if (status === 206 && sent !== null && !sent.startsWith(`bytes ${start}-`)) {
    await response.body?.cancel();
    throw new PlayerError('index-refused', `asked for bytes from ${start} on, got '${sent}'`);
  }
  if (status === 206) return { range: { start, end }, bytes: await readAtMost(response, end - start) };
  if (status === 200) {
    const bytes = await readAtMost(response, MAX_FILE_BYTES);
    return { range: { start: 0, end: bytes.length }, bytes };
  }
  await response.body?.cancel();
  throw new PlayerError(status >= 400 && status < 500 ? 'index-refused' : 'index-failed', `HTTP status ${status}`);
}

/** Throws `PlayerError` for a longer body: a server may send without end. */
async function readAtMost(response: Response, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body!.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > limit) {
      await reader.cancel();
      throw new PlayerError('index-refused', `more than ${limit} bytes`);
    }
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
