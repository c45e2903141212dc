import { describe, expect, it } from 'vitest';
import { serializeRequestHead, type RequestHead } from './request-head.js';

const request: RequestHead = {
  target: '/bbb/q07.mp4?v=2',
  host: 'media.example:4433',
  headers: { 'cmcd-request': 'bl=12000,su' },
  ranges: [
    { start: 1048, end: 9121 },
    { start: 20480, end: 20501 },
    { start: 9121, end: 14001 },
  ],
  etag: '"5f3-18a2"',
  flow: 17,
  deadline: 3200.4,
};

function text(change: Partial<RequestHead> = {}): string {
  return new TextDecoder().decode(serializeRequestHead({ ...request, ...change }));
}

describe('serializeRequestHead', () => {
  it('writes the request of docs/PROTOCOL.md', () => {
    expect(text()).toBe(
      [
        'GET /bbb/q07.mp4?v=2 HTTP/1.1',
        'host: media.example:4433',
        'range: bytes=1048-9120,20480-20500,9121-14000',
        'if-match: "5f3-18a2"',
        'x-voxel-unreliable: ?1;flow=17',
        'x-voxel-deadline: 3200',
        'cmcd-request: bl=12000,su',
        '',
        '',
      ].join('\r\n'),
    );
  });

  it('asks for a reliable body by leaving the flow out', () => {
    expect(text({ flow: undefined, deadline: undefined })).not.toContain('x-voxel');
  });

  it('names the flow that goes first', () => {
    expect(text({ after: 16 })).toContain('x-voxel-deadline: 3200\r\nx-voxel-after: 16\r\ncmcd-request');
  });

  it('names no version of the file while none is known', () => {
    expect(text({ etag: undefined })).not.toContain('if-match');
  });

  it.each<[string, Partial<RequestHead>]>([
    ['a line break in a value', { headers: { 'cmcd-request': 'bl=1\r\nrange: bytes=0-' } }],
    ['a bare line feed in a value', { headers: { 'cmcd-request': 'a\nb' } }],
    ['a line break in a name', { headers: { 'a\r\nb': '1' } }],
    ['an empty name', { headers: { '': '1' } }],
    ['a field of ours', { headers: { Range: 'bytes=0-1' } }],
    ['a version of its own', { headers: { 'If-Match': '*' } }],
    ['a target that is no path', { target: 'bbb/q07.mp4' }],
    ['a space in the target', { target: '/a b' }],
    ['a line break in the target', { target: '/a\r\nx: y' }],
    ['a fragment in the target', { target: '/a#b' }],
  ])('refuses %s', (_what, change) => {
    expect(() => text(change)).toThrow(expect.objectContaining({ name: 'VoxelError', code: 'bad-request' }));
  });
});
