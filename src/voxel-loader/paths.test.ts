import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VoxelError } from './errors.js';
import { createPaths, parsePaths } from './paths.js';

const hash = btoa(String.fromCharCode(...new Uint8Array(32).fill(7)));
const endpoint = 'https://a.example:4433/voxel';
const other = 'https://b.example:4433/voxel';
const answer = { endpoint, certificateHashes: [hash], versions: ['voxel-1'] };
const refusal = expect.objectContaining({ name: 'VoxelError', code: 'discovery-failed' }) as Error;
const own = { url: endpoint, certificateHashes: [new Uint8Array(32).fill(7)] };

describe('parsePaths', () => {
  it('reads an answer without paths as before', () => {
    expect(parsePaths(answer)).toEqual(own);
  });

  it('puts the endpoint first, whether it is named again or not', () => {
    const paths = [
      { ...own, cost: 0 },
      { url: other, certificateHashes: [], cost: 2 },
    ];
    const further = { endpoint: other, cost: 2 };
    expect(parsePaths({ ...answer, paths: [further] })).toEqual({ ...own, paths });
    const named = { endpoint, certificateHashes: [hash] };
    expect(parsePaths({ ...answer, paths: [further, named] })).toEqual({ ...own, paths });
  });

  it.each([
    ['paths that are no list', { paths: {} }],
    ['a path that is none', { paths: [other] }],
    ['a path without an address', { paths: [{ cost: 1 }] }],
    ['an address without TLS', { paths: [{ endpoint: 'http://b.example/voxel' }] }],
    ['hashes that are no list', { paths: [{ endpoint: other, certificateHashes: hash }] }],
    ['a hash of another length', { paths: [{ endpoint: other, certificateHashes: ['AA=='] }] }],
    ['a cost that is a text', { paths: [{ endpoint: other, cost: '1' }] }],
    ['a cost below zero', { paths: [{ endpoint: other, cost: -1 }] }],
    ['the same address twice', { paths: [{ endpoint: other }, { endpoint: other }] }],
    [
      'more paths than anybody has',
      { paths: Array.from({ length: 9 }, (_, n) => ({ endpoint: `https://h${n}/voxel` })) },
    ],
  ])('refuses %s', (_what, change) => {
    expect(() => parsePaths({ ...answer, ...change })).toThrow(refusal);
  });

  it('takes or refuses whatever a server sends', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ endpoint: fc.anything(), certificateHashes: fc.anything(), cost: fc.anything() })),
        (paths) => {
          try {
            const parsed = parsePaths({ ...answer, paths });
            expect(parsed.paths!.every(({ cost }) => cost >= 0)).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(VoxelError);
          }
        },
      ),
    );
  });
});

describe('createPaths', () => {
  it('reads what a page configures, the first as the endpoint', () => {
    expect(createPaths([{ url: other, cost: 1 }, { url: endpoint }])).toMatchObject({
      url: other,
      paths: [
        { url: other, cost: 1 },
        { url: endpoint, cost: 0 },
      ],
    });
  });

  it('refuses an empty list', () => {
    expect(() => createPaths([])).toThrow(refusal);
  });
});
