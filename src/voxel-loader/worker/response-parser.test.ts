import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VoxelError } from '../errors.js';
import { MAX_SECTION_BYTES, ResponseParser, type ResponseEvent } from './response-parser.js';

const reliable = 'HTTP/1.1 206 Partial Content\r\nContent-Length: 5\r\n\r\nhello';
const unreliable =
  'HTTP/1.1 206 Partial Content\r\nx-voxel-unreliable: ?1;flow=17\r\ntransfer-encoding: chunked\r\n\r\n' +
  '0\r\nx-voxel-sent: 12974;datagrams=11\r\nx-voxel-rtt: 41\r\n\r\n';
const chunked = 'HTTP/1.1 206 \r\nTransfer-Encoding: Chunked\r\n\r\n4\r\nhell\r\n1;name=value\r\no\r\n0\r\n\r\n';
const untilEnd = 'HTTP/1.1 503 Service Unavailable\r\nvia: a\r\nVia:b\r\n\r\nhello';

interface Summary {
  status: number | undefined;
  fields: Record<string, string>;
  body: string;
  trailers: Record<string, string> | undefined;
}

/** Parses `text`, cut at these places. */
function parse(text: string, cuts: readonly number[] = []): Summary {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const parser = new ResponseParser();
  const ends = [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
  const events = ends.flatMap((end, index) => parser.push(bytes.subarray(ends[index - 1] ?? 0, end)));
  return summarise([...events, ...parser.end()]);
}

function summarise(events: readonly ResponseEvent[]): Summary {
  const summary: Summary = { status: undefined, fields: {}, body: '', trailers: undefined };
  for (const event of events) {
    if (event.type === 'head') {
      Object.assign(summary, { status: event.status, fields: Object.fromEntries(event.fields) });
    } else if (event.type === 'body') summary.body += String.fromCharCode(...event.bytes);
    else summary.trailers = Object.fromEntries(event.trailers);
  }
  return summary;
}

describe('ResponseParser', () => {
  it('reads a body with a length', () => {
    expect(parse(reliable)).toEqual({ status: 206, fields: { 'content-length': '5' }, body: 'hello', trailers: {} });
  });

  it('reads trailers after an empty chunked body', () => {
    expect(parse(unreliable)).toMatchObject({
      fields: { 'x-voxel-unreliable': '?1;flow=17' },
      body: '',
      trailers: { 'x-voxel-sent': '12974;datagrams=11', 'x-voxel-rtt': '41' },
    });
  });

  it('reads chunks, with extensions', () => {
    expect(parse(chunked)).toMatchObject({ body: 'hello', trailers: {} });
  });

  it('reads a body that ends with the stream, and joins repeated fields', () => {
    expect(parse(untilEnd)).toEqual({ status: 503, fields: { via: 'a, b' }, body: 'hello', trailers: {} });
  });

  it('ends at once when the length is 0', () => {
    expect(parse('HTTP/1.1 206 x\r\ncontent-length: 0\r\n\r\n').trailers).toEqual({});
  });

  it('gives the same however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(reliable, unreliable, chunked, untilEnd),
        fc.array(fc.nat(200), { maxLength: 30 }),
        (text, cuts) => {
          expect(parse(text, cuts)).toEqual(parse(text));
        },
      ),
    );
  });

  it.each([reliable, unreliable, chunked])('notices a response cut off anywhere', (text) => {
    for (let length = 0; length < text.length; length++) {
      expect(() => parse(text.slice(0, length))).toThrow(expect.objectContaining({ code: 'incomplete' }));
    }
  });

  it.each([
    ['another protocol', 'HTTP/2 206 OK\r\n\r\n'],
    ['a status that is no number', 'HTTP/1.1 2x6 OK\r\n\r\n'],
    ['bare line feeds', 'HTTP/1.1 206 OK\n\n'],
    ['a field without a name', 'HTTP/1.1 206 OK\r\n: x\r\n\r\n'],
    ['a field without a colon', 'HTTP/1.1 206 OK\r\nx\r\n\r\n'],
    ['a folded field', 'HTTP/1.1 206 OK\r\na: b\r\n c\r\n\r\n'],
    ['a NUL in a value', 'HTTP/1.1 206 OK\r\na: b\0c\r\n\r\n'],
    ['a carriage return in a value', 'HTTP/1.1 206 OK\r\na: b\rc\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 206 OK\r\ncontent-length: 5\r\ncontent-length: 5\r\n\r\n'],
    ['a negative length', 'HTTP/1.1 206 OK\r\ncontent-length: -5\r\n\r\n'],
    ['a length and chunks', 'HTTP/1.1 206 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['another coding', 'HTTP/1.1 206 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n'],
    ['a chunk size that is none', 'HTTP/1.1 206 OK\r\ntransfer-encoding: chunked\r\n\r\n0x5\r\n'],
    ['a chunk size beyond reason', `HTTP/1.1 206 OK\r\ntransfer-encoding: chunked\r\n\r\n${'f'.repeat(16)}\r\n`],
    ['a chunk longer than its size', 'HTTP/1.1 206 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n'],
    ['bytes after its end', `${reliable}!`],
    ['an endless line', 'x'.repeat(MAX_SECTION_BYTES + 1)],
    ['endless fields', `HTTP/1.1 206 OK\r\n${'a: b\r\n'.repeat(MAX_SECTION_BYTES / 6)}`],
    ['endless trailers', `${unreliable.slice(0, -2)}${'a: b\r\n'.repeat(MAX_SECTION_BYTES / 6)}`],
  ])('refuses %s', (_what, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ name: 'VoxelError', code: 'bad-response' }));
  });

  it('has no limit on the number of chunks', () => {
    const chunks = '1\r\na\r\n'.repeat(MAX_SECTION_BYTES);
    expect(parse(`HTTP/1.1 206 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`).body).toHaveLength(
      MAX_SECTION_BYTES,
    );
  });

  it('throws nothing but VoxelError, whatever the bytes', () => {
    const noise = fc.array(fc.constantFrom(...reliable.split(''), '\0', '\n', '0'), { maxLength: 20 });
    fc.assert(
      fc.property(fc.constantFrom(reliable, unreliable, chunked), fc.nat(150), noise, (text, at, inserted) => {
        try {
          parse(text.slice(0, at) + inserted.join('') + text.slice(at));
        } catch (error) {
          expect(error).toBeInstanceOf(VoxelError);
        }
      }),
    );
  });
});
