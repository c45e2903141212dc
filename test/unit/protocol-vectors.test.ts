import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeDatagram } from '../../src/voxel-loader/worker/datagram.js';
import { serializeRequestHead } from '../../src/voxel-loader/worker/request-head.js';
import { ResponseParser } from '../../src/voxel-loader/worker/response-parser.js';
import { parseParameter } from '../../src/voxel-loader/worker/structured-field.js';
import { encodeVarint } from '../../src/manifest/varint.js';

interface DatagramVector {
  readonly flow: number;
  readonly offset: number;
  readonly payload: string;
  readonly bytes: string;
}

interface RequestVector {
  readonly name: string;
  readonly head: string;
  readonly target: string;
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly flow: number | null;
  readonly deadline: number | null;
  readonly ifMatch?: string;
}

interface ResponseVector {
  readonly status: number;
  readonly length: number;
  readonly flow: number;
  readonly sent: number;
  readonly datagrams: number;
  readonly parity?: string;
  readonly sentParity?: number;
  readonly rtt: number | null;
  readonly etp?: number;
  readonly etag: string;
  readonly bytes: string;
}

/** The vectors that all three languages share; those for servers alone are left out. */
const vectors = JSON.parse(readFileSync(new URL('../vectors/protocol.json', import.meta.url), 'utf8')) as {
  readonly datagrams: readonly DatagramVector[];
  readonly malformedDatagrams: readonly string[];
  readonly written: readonly RequestVector[];
  readonly responses: readonly ResponseVector[];
};

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));

describe('the vectors of the protocol', () => {
  it.each(vectors.datagrams)('datagram $bytes', ({ flow, offset, payload, bytes }) => {
    expect(decodeDatagram(bytesOf(bytes))).toEqual({ flow, offset, payload: bytesOf(payload) });
    expect(Buffer.concat([encodeVarint(flow), encodeVarint(offset), bytesOf(payload)]).toString('hex')).toBe(bytes);
  });

  it.each(vectors.malformedDatagrams)('malformed datagram "%s"', (bytes) => {
    expect(decodeDatagram(bytesOf(bytes))).toBeUndefined();
  });

  it.each(vectors.written)('request: $name', ({ head, target, ranges, flow, deadline, ifMatch }) => {
    const request = {
      target,
      host: 'media.example',
      headers: {},
      ranges: ranges.map(([first, last]) => ({ start: first, end: last + 1 })),
      etag: ifMatch,
      flow: flow ?? undefined,
      deadline: deadline ?? undefined,
    };
    expect(new TextDecoder().decode(serializeRequestHead(request))).toBe(head);
  });

  it.each(vectors.responses)('response $status', (vector) => {
    const { status, length, flow, parity, sent, datagrams, sentParity, rtt, etp, etag, bytes } = vector;
    const parser = new ResponseParser();
    const [head, end, ...rest] = [...parser.push(new TextEncoder().encode(bytes)), ...parser.end()];
    expect(rest).toEqual([]);
    if (head?.type !== 'head' || end?.type !== 'end') throw new Error('no head or no end');
    expect(head.status).toBe(status);
    expect(head.fields.get('x-voxel-unreliable')).toBe(`?1;flow=${flow}`);
    expect(head.fields.get('x-voxel-length')).toBe(String(length));
    expect(head.fields.get('etag')).toBe(etag);
    const paritySent = sentParity === undefined ? '' : `;parity=${sentParity}`;
    expect(head.fields.get('x-voxel-parity')).toBe(parity);
    expect(end.trailers.get('x-voxel-sent')).toBe(`${sent};datagrams=${datagrams}${paritySent}`);
    expect(end.trailers.get('x-voxel-rtt')).toBe(rtt === null ? undefined : String(rtt));
    for (const fields of [head.fields, end.trailers])
      expect(parseParameter(fields.get('cmsd-dynamic'), 'etp')).toBe(etp);
  });
});
