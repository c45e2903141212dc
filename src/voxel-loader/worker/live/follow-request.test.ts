import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { FollowRequest } from '../../types.js';
import { ResponseParser } from '../response-parser.js';
import { checkFollowHead, serializeFollowHead } from './follow-request.js';

const vectors = JSON.parse(readFileSync(new URL('../../../../test/vectors/follow.json', import.meta.url), 'utf8')) as {
  readonly requests: readonly {
    readonly name: string;
    readonly head: string;
    readonly flow: number | null;
    readonly follow: { readonly deadline: number | null; readonly group: boolean } | null;
  }[];
  readonly responses: readonly { readonly flow: number | null; readonly bytes: string }[];
};

const request: FollowRequest = {
  ...{ representation: 'v3', target: '/live/v3/1234.m4s', delivery: 'datagrams', startTime: 0, deadline: undefined },
  ...{ isGroup: false, headers: {}, headerHosts: [] },
};

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe('the head of a request', () => {
  const exact = vectors.requests.filter(({ head, follow }) => follow !== null && !head.includes(';x='));

  test.each(exact)('$name', ({ head, flow, follow }) => {
    const own = { ...request, deadline: follow!.deadline ?? undefined, isGroup: follow!.group };
    expect(text(serializeFollowHead(own, { host: 'media.example', flow: flow ?? undefined }))).toBe(head);
  });

  test('has the headers of dash.js for those hosts only that may get them', () => {
    const own = { ...request, headers: { 'cmcd-request': 'bl=500' }, headerHosts: ['media.example'] };
    const to = (host: string) => text(serializeFollowHead(own, { host, flow: undefined }));
    expect(to('media.example:4433')).toContain('\r\ncmcd-request: bl=500\r\n');
    expect(to('other.example:4433')).not.toContain('cmcd');
  });

  test('cannot be made of what would end a line', () => {
    const own = { ...request, headers: { a: 'b\r\nrange: bytes=' }, headerHosts: ['a'] };
    expect(() => serializeFollowHead(own, { host: 'a', flow: undefined })).toThrow(
      expect.objectContaining({ code: 'bad-request' }),
    );
  });
});

test.each(vectors.responses)('an answer for flow $flow is taken', ({ flow, bytes }) => {
  const [head] = new ResponseParser().push(new TextEncoder().encode(bytes));
  if (head?.type !== 'head') throw new Error('no head');
  expect(() => checkFollowHead(head.status, head.fields, flow ?? undefined)).not.toThrow();
});
