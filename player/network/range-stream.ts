import { formatRange, type ByteRange } from '../../src/manifest/byte-range.js';
import { piecesOf } from '../../src/voxel-loader/index.js';

/** Where a file is, and the fields that go with a request for a part of it, as the player has them. */
export interface RangeRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly credentials?: RequestCredentials | undefined;
}

export interface RangeStreamOptions {
  readonly signal: AbortSignal;
  /** Takes bytes as they come, in order, from that position of the file on. */
  readonly onBytes: (position: number, bytes: Uint8Array<ArrayBuffer>) => void;
}

/** Statuses with which a server says that it will not send it, however often it is asked; 408 and 429: later. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429;

/** A server does not send a range. */
export class RangeFailure extends Error {
  constructor(
    message: string,
    /** It will not do so another time, either. */
    readonly isFinal: boolean,
  ) {
    super(message);
  }
}

/**
 * Fetches a range of a file and gives it away as it comes: of a server that sends the whole file, as some do, the bytes of the range.
 * Resolves with the answer's head once all of it has come; rejects with `RangeFailure`, or as `fetch` does.
 */
export async function streamRange(
  { url, headers = {}, credentials }: RangeRequest,
  range: ByteRange,
  { signal, onBytes }: RangeStreamOptions,
): Promise<Response> {
  const fields = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'range');
  const sent = await fetch(url, {
    headers: { ...Object.fromEntries(fields), Range: `bytes=${formatRange(range)}` },
    // As `XMLHttpRequest` without `withCredentials`, by which dash.js means 'omit': for that Chromium makes a connection of its own.
    credentials: credentials === 'include' ? credentials : 'same-origin',
    // Chromium's cache has one request for a file wait for the answer to another.
    cache: 'no-store',
    signal,
  });
  const reader = sent.body!.getReader();
  try {
    let at = firstByte(sent, range);
    for await (const piece of piecesOf(reader)) {
      const [from, to] = [Math.max(at, range.start), Math.min(at + piece.length, range.end)];
      if (to > from) onBytes(from, piece.subarray(from - at, to - at));
      at += piece.length;
      if (at >= range.end) break;
    }
    if (at < range.end) throw new RangeFailure(`${at} of ${range.end} bytes came`, false);
    if (sent.status === 206 && at > range.end) throw new RangeFailure('more bytes came than were asked for', false);
    return sent;
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** Position of an answer's first byte in the file. Throws `RangeFailure` where it is not what was asked for. */
function firstByte({ status, headers }: Response, { start }: ByteRange): number {
  if (status === 200) return 0;
  // Other origins have to let pages read it.
  const place = headers.get('content-range');
  if (status === 206 && (place === null || place.startsWith(`bytes ${start}-`))) return start;
  const said = status === 206 ? `got '${place}'` : `HTTP status ${status}`;
  throw new RangeFailure(`asked for bytes from ${start} on: ${said}`, status === 206 || isRefusal(status));
}
