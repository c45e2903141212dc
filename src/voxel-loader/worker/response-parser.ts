import { VoxelError } from '../errors.js';

/** Header or trailer fields: lower-case names; repeated fields joined by commas (RFC 9110 §5.3). */
export type Fields = ReadonlyMap<string, string>;

export type ResponseEvent =
  | { readonly type: 'head'; readonly status: number; readonly fields: Fields }
  /** The next bytes of the body: a view into the chunk that was pushed. */
  | { readonly type: 'body'; readonly bytes: Uint8Array }
  | { readonly type: 'end'; readonly trailers: Fields };

/** Bytes of the head, of the trailers, and of one chunk-size line at most. Our servers need 200 bytes. */
export const MAX_SECTION_BYTES = 16 * 1024;

const LINE_FEED = 0x0a;

type State = 'status-line' | 'fields' | 'body' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'done';

/**
 * Incremental parser of one HTTP/1.1 response (RFC 9112) on a stream of its own: the body has a `content-length`, or is
 * chunked, or ends with the stream. Takes the bytes in pieces of any size. Throws `VoxelError` code `bad-response` for
 * what is no such response and `incomplete` for one cut off; not to be used again after that.
 */
export class ResponseParser {
  #state: State = 'status-line';
  #status = 0;
  #fields = new Map<string, string>();
  /** The line being collected, as Latin-1 text. */
  #line = '';
  #sectionBytes = 0;
  /** Bytes left of the body or chunk; infinite when the body ends with the stream. */
  #remaining = 0;

  push(bytes: Uint8Array): ResponseEvent[] {
    const events: ResponseEvent[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === 'done') throw malformed('bytes after its end');
      if (this.#state === 'body' || this.#state === 'chunk') {
        const data = bytes.subarray(at, at + Math.min(this.#remaining, bytes.length - at));
        events.push({ type: 'body', bytes: data });
        at += data.length;
        this.#remaining -= data.length;
        if (this.#remaining > 0) continue;
        if (this.#state === 'body') events.push(...this.#done());
        else this.#state = 'chunk-end';
      } else {
        const end = bytes.indexOf(LINE_FEED, at) + 1 || bytes.length;
        events.push(...this.#text(bytes.subarray(at, end)));
        at = end;
      }
    }
    return events;
  }

  /** The stream has ended. */
  end(): ResponseEvent[] {
    if (this.#state === 'body' && this.#remaining === Infinity) return this.#done();
    if (this.#state !== 'done') throw new VoxelError('incomplete', 'the stream ended inside the response');
    return [];
  }

  /** A piece of a line, up to its line feed if that is in it. */
  #text(piece: Uint8Array): ResponseEvent[] {
    this.#sectionBytes += piece.length;
    if (this.#sectionBytes > MAX_SECTION_BYTES) throw malformed('a head that is too long');
    this.#line += String.fromCharCode(...piece);
    if (piece.at(-1) !== LINE_FEED) return [];
    if (!this.#line.endsWith('\r\n')) throw malformed('a bare line feed');
    const line = this.#line.slice(0, -2);
    this.#line = '';
    return this.#onLine(line);
  }

  #onLine(line: string): ResponseEvent[] {
    switch (this.#state) {
      case 'status-line':
        this.#status = Number(matchOf(/^HTTP\/1\.1 ([1-9]\d\d)(?: |$)/, line, 'a bad status line'));
        this.#state = 'fields';
        return [];
      case 'fields':
        if (line === '') return this.#endOfHead();
        addField(this.#fields, line);
        return [];
      case 'chunk-size':
        this.#sectionBytes = 0;
        this.#remaining = parseInt(matchOf(/^\s*([0-9a-f]{1,12})\s*(?:;|$)/i, line, 'a bad chunk size'), 16);
        this.#state = this.#remaining === 0 ? 'trailers' : 'chunk';
        return [];
      case 'chunk-end':
        if (line !== '') throw malformed('a chunk longer than its size');
        this.#state = 'chunk-size';
        return [];
      case 'trailers':
        if (line === '') return this.#done();
        addField(this.#fields, line);
        return [];
      case 'body':
      case 'chunk':
      case 'done':
        throw new Error(`no lines in state ${this.#state}`);
    }
  }

  #endOfHead(): ResponseEvent[] {
    const fields = this.#fields;
    const head: ResponseEvent = { type: 'head', status: this.#status, fields };
    this.#fields = new Map();
    this.#sectionBytes = 0;
    const coding = fields.get('transfer-encoding');
    const length = fields.get('content-length');
    if (coding !== undefined) {
      if (coding.toLowerCase() !== 'chunked' || length !== undefined) throw malformed('an unknown framing');
      this.#state = 'chunk-size';
      return [head];
    }
    if (length !== undefined && !/^\d{1,15}$/.test(length)) throw malformed('a bad content-length');
    this.#state = 'body';
    this.#remaining = length === undefined ? Infinity : Number(length);
    return this.#remaining === 0 ? [head, ...this.#done()] : [head];
  }

  #done(): ResponseEvent[] {
    this.#state = 'done';
    return [{ type: 'end', trailers: this.#fields }];
  }
}

/** What the pattern's group finds in a line. */
function matchOf(pattern: RegExp, line: string, fault: string): string {
  const match = pattern.exec(line);
  if (!match) throw malformed(fault);
  return match[1]!;
}

function addField(fields: Map<string, string>, line: string): void {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
  const value = line.slice(colon + 1).trim();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    throw malformed('a bad header field');
  }
  const earlier = fields.get(name);
  fields.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
}

function malformed(what: string): VoxelError {
  return new VoxelError('bad-response', `the response has ${what}`);
}
