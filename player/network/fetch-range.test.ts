import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchRangeBy, refreshCache, type SentRange } from './fetch-range.js';

const file = Uint8Array.from({ length: 100 }, (_, index) => index);

afterEach(() => void vi.unstubAllGlobals());

describe('fetchRange', () => {
  let server: Server;
  let listener: RequestListener;

  beforeEach(async () => {
    server = createServer((request, response) => listener(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return () => {
      server.closeAllConnections();
      server.close();
    };
  });

  let stopped = new AbortController();
  afterEach(() => void (stopped = new AbortController()));

  function ask(start: number, end: number): Promise<SentRange> {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/q00.index`;
    return fetchRangeBy((...of) => fetch(...of))(url, { start, end }, { signal: stopped.signal, cache: 'default' });
  }

  it('asks for the bytes of a range, first and last', async () => {
    listener = ({ headers }, response) => {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range!)!;
      response.writeHead(206).end(file.subarray(Number(first), Number(last) + 1));
    };
    expect(await ask(10, 20)).toMatchObject({ range: { start: 10, end: 20 }, bytes: file.slice(10, 20) });
    expect((await ask(90, 120)).bytes).toEqual(file.slice(90));
  });

  it('takes the whole file from a server that knows no ranges', async () => {
    listener = (_, response) => void response.writeHead(200).end(file);
    expect(await ask(10, 20)).toMatchObject({ range: { start: 0, end: 100 }, bytes: file });
  });

  it('says how long the body took', async () => {
    let end = (): unknown => undefined;
    listener = (_, response) => {
      response.writeHead(206).write(file.subarray(0, 10));
      end = () => response.end(file.subarray(10, 20));
    };
    // The rest comes a while after the head is here, however late a busy machine brings that.
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
      const response = await fetch(...request);
      setTimeout(end, 200);
      return response;
    });
    expect((await ask(0, 20)).seconds).toBeGreaterThan(0.04);
  });

  it.each([
    [401, 'index-failed'],
    [403, 'index-failed'],
    [404, 'index-refused'],
    [416, 'index-refused'],
    [503, 'index-failed'],
    [204, 'index-failed'],
  ])('says whether it is worth trying again: status %d', async (status, code) => {
    listener = (_, response) => void response.writeHead(status).end();
    await expect(ask(0, 20)).rejects.toMatchObject({ code, message: `HTTP status ${status}` });
  });

  it('refuses another range than asked for', async () => {
    listener = (_, response) =>
      void response.writeHead(206, { 'content-range': 'bytes 0-19/100' }).end(file.subarray(0, 20));
    expect((await ask(0, 20)).bytes).toHaveLength(20);
    await expect(ask(40, 60)).rejects.toMatchObject({
      code: 'index-refused',
      message: "asked for bytes from 40 on, got 'bytes 0-19/100'",
    });
  });

  it('refuses more bytes than asked for', async () => {
    listener = (_, response) => {
      response.writeHead(206);
      response.on('drain', () => response.write(new Uint8Array(65_536)));
      response.write(new Uint8Array(1_000_000));
    };
    await expect(ask(0, 20)).rejects.toMatchObject({ code: 'index-refused' });
  });

  it('fails without an answer, and when it is stopped', async () => {
    listener = ({ socket }) => void socket.destroy();
    await expect(ask(0, 20)).rejects.toMatchObject({ code: 'index-failed' });
    listener = () => stopped.abort();
    await expect(ask(0, 20)).rejects.toMatchObject({ code: 'index-failed' });
  });
});

describe('refreshCache', () => {
  it('never rejects, wherever the request fails: the segment comes over HTTP after it', async () => {
    const broken = new ReadableStream({
      cancel: () => Promise.reject(new TypeError('network error')),
    });
    const fetched = vi.fn<() => Promise<unknown>>();
    vi.stubGlobal('fetch', fetched);
    fetched.mockRejectedValueOnce(new TypeError('Failed to fetch')).mockResolvedValueOnce({ body: broken });
    await expect(refreshCache('https://media.example/q00.mp4', (...of) => fetch(...of))).resolves.toBeUndefined();
    await expect(refreshCache('https://media.example/q00.mp4', (...of) => fetch(...of))).resolves.toBeUndefined();
    expect(fetched).toHaveBeenCalledTimes(2);
  });
});
