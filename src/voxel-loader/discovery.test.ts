import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEndpoint, discoverEndpoint, parseDiscovery } from './discovery.js';

const hash = btoa(String.fromCharCode(...new Uint8Array(32).fill(7)));
const answer = { endpoint: 'https://127.0.0.1:4433/voxel', certificateHashes: [hash], versions: ['voxel-1'] };
const endpoint = { url: 'https://127.0.0.1:4433/voxel', certificateHashes: [new Uint8Array(32).fill(7)] };
const refusal = expect.objectContaining({ name: 'VoxelError', code: 'discovery-failed', fatal: true }) as Error;

describe('parseDiscovery', () => {
  it('reads the endpoint and its certificates', () => {
    expect(parseDiscovery(answer)).toEqual(endpoint);
  });

  it('takes a server with a trusted certificate, and one that names no versions', () => {
    expect(parseDiscovery({ endpoint: answer.endpoint })).toEqual({ url: answer.endpoint, certificateHashes: [] });
  });

  it.each([
    ['null', null],
    ['a text', 'https://127.0.0.1:4433/voxel'],
    ['no endpoint', { certificateHashes: [hash] }],
    ['http', { ...answer, endpoint: 'http://127.0.0.1:4433/voxel' }],
    ['a relative endpoint', { ...answer, endpoint: '/voxel' }],
    ['an endpoint with a fragment, which WebTransport refuses', { ...answer, endpoint: 'https://a/voxel#b' }],
    ['an endpoint with an empty fragment', { ...answer, endpoint: 'https://a/voxel#' }],
    ['another version only', { ...answer, versions: ['voxel-2'] }],
    ['hashes that are no list', { ...answer, certificateHashes: hash }],
    ['hashes that are no texts', { ...answer, certificateHashes: [7] }],
    ['a hash that is not base64', { ...answer, certificateHashes: ['%'] }],
    ['a hash of another length', { ...answer, certificateHashes: [btoa('abc')] }],
  ])('refuses %s', (_what, value) => {
    expect(() => parseDiscovery(value)).toThrow(refusal);
  });
});

describe('createEndpoint', () => {
  it('reads what a page configures', () => {
    expect(createEndpoint(answer.endpoint, [hash])).toEqual(endpoint);
  });
});

describe('discoverEndpoint', () => {
  afterEach(() => vi.unstubAllGlobals());

  function discover(response: () => Promise<Response>) {
    const fetch = vi.fn<typeof globalThis.fetch>(response);
    vi.stubGlobal('fetch', fetch);
    return { fetch, result: discoverEndpoint('https://media.example:8080/bbb/a.mpd', new AbortController().signal) };
  }

  it("asks the manifest's origin", async () => {
    const { fetch, result } = discover(() => Promise.resolve(Response.json(answer)));
    expect(await result).toEqual(endpoint);
    expect(fetch.mock.calls[0]![0]).toBe('https://media.example:8080/.well-known/voxel.json');
  });

  it.each([
    ['404', () => Promise.resolve(new Response('no', { status: 404 }))],
    ['no JSON', () => Promise.resolve(new Response('<html>'))],
    ['no server', () => Promise.reject(new TypeError('Failed to fetch'))],
  ])('fails with its own error: %s', async (_what, response) => {
    await expect(discover(response).result).rejects.toThrow(refusal);
  });

  it('reads little of an answer without end', async () => {
    let chunks = 0;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        controller.enqueue(new Uint8Array(16_384).fill(0x20));
        if (++chunks === 1_000) controller.close();
      },
    });
    await expect(discover(() => Promise.resolve(new Response(body))).result).rejects.toThrow(refusal);
    expect(chunks).toBeLessThan(10);
  });

  it('says what the server answered', async () => {
    const { result } = discover(() => Promise.resolve(new Response('no', { status: 404 })));
    await expect(result).rejects.toMatchObject({ status: 404 });
  });
});
