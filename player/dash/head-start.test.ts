import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FragmentRequest, LoaderRequest, LoaderResponse } from './dash-types.js';
import { HeadStart } from './head-start.js';

/** Patience with what comes over a real connection. */
const PATIENCE = { timeout: 60_000 };

const BYTES = Uint8Array.from({ length: 100 }, (_, index) => index);

describe('HeadStart', () => {
  let server: Server;
  let url: string;
  /** What the server does with a request; as a rule it answers all of it. */
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let asked: IncomingMessage[];
  let next: FragmentRequest | undefined;
  let sessions: { isOpening: boolean };
  let startTime: number;
  let headStart: HeadStart;
  let rate: number;
  const parentLoad = vi.fn();

  const send =
    (status: number, bytes = BYTES, range = 'bytes 1000-1099/2000') =>
    (_: unknown, response: ServerResponse): void =>
      void response.writeHead(status, { 'x-said': 'a: b', 'content-range': range }).end(bytes);

  function fragment(index: number, id = 'q00'): FragmentRequest {
    const representation = { id, adaptation: { index: 0, period: { index: 0 } } } as never;
    const range = `${1000 + 100 * index}-${1099 + 100 * index}`;
    const place = { index, startTime: 2 * index, duration: 2 };
    return { type: 'MediaSegment', mediaType: 'video', url, range, representation, ...place };
  }

  const initialization = (change: Partial<LoaderRequest> = {}): LoaderRequest => ({
    ...{ url, headers: { Range: 'bytes=0-999', 'CMCD-Request': 'su', Authorization: 'Bearer 1' }, timeout: 20_000 },
    customData: { request: { ...fragment(NaN), range: '0-999' } },
    ...change,
  });

  /** Asks for a segment, as dash.js asks its loader. */
  function ask(wanted = fragment(0), address = url) {
    const customData = { request: wanted, onloadend: vi.fn(), onprogress: vi.fn(), onabort: vi.fn() };
    const request: LoaderRequest = { url: address, headers: {}, timeout: 0, customData };
    const response: LoaderResponse = { request };
    headStart.keepFor(request);
    const startedAt = headStart.startedAt(request);
    headStart.load(request, response, parentLoad);
    return { startedAt, customData: request.customData as LoaderRequest['customData'] & typeof customData, response };
  }

  /** Resolves when its connection closes, which may be reset. */
  const closeOf = ({ socket }: IncomingMessage): Promise<unknown> =>
    new Promise((resolve) => socket.once('close', resolve));

  const untilAsked = (): Promise<IncomingMessage> => vi.waitUntil(() => asked[0], PATIENCE);

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request);
      answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/q00.mp4`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  beforeEach(() => {
    asked = [];
    answer = send(206);
    parentLoad.mockReset();
    next = fragment(0);
    sessions = { isOpening: true };
    startTime = 0;
    const video = {
      get nextRequest() {
        return next;
      },
      startsIn: (one: { startTime: number }) => one.startTime === startTime,
    };
    headStart = new HeadStart(sessions, video, () => rate);
    rate = Infinity;
  });

  it('asks for the first segment as dash.js would, and hands it over as it comes', async () => {
    let sent!: ServerResponse;
    answer = (_, response) => (sent = response.writeHead(206, { 'x-said': 'a: b' }));
    headStart.begin(initialization());
    const { headers } = await untilAsked();
    expect(headers).toMatchObject({ range: 'bytes=1000-1099', authorization: 'Bearer 1' });
    expect(headers).not.toHaveProperty('cmcd-request');
    const { startedAt, customData, response } = ask();
    expect(startedAt).toBeLessThanOrEqual(performance.now());
    sent.write(BYTES.subarray(0, 40));
    await vi.waitUntil(() => customData.onprogress.mock.calls.length === 1, PATIENCE);
    expect(customData.onprogress).toHaveBeenLastCalledWith({ loaded: 40, total: 100, lengthComputable: true });
    sent.end(BYTES.subarray(40));
    await vi.waitUntil(() => customData.onloadend.mock.calls.length === 1, PATIENCE);
    expect(response).toMatchObject({ url, status: 206, statusText: 'Partial Content', headers: { 'x-said': 'a: b' } });
    expect(new Uint8Array(response.data as ArrayBuffer)).toEqual(BYTES);
    expect(parentLoad).not.toHaveBeenCalled();
    expect(headStart.isRunning).toBe(false);
  });

  it.each([
    ['is refused', send(403)],
    ['does not come', (request: IncomingMessage) => request.socket.destroy()],
    ['is the whole file', send(200)],
    ['is cut short', send(206, BYTES.subarray(1))],
    ['is another part of the file', send(206, BYTES, 'bytes 1100-1199/2000')],
    ['is too long', send(206, Uint8Array.from([...BYTES, 1]))],
  ])('leaves it to the loader of dash.js where what was asked for %s, before or after dash.js asks', async (_, end) => {
    answer = end;
    headStart.begin(initialization());
    await vi.waitUntil(() => !headStart.isRunning, PATIENCE);
    expect(ask().startedAt).toBeUndefined();
    expect(parentLoad).toHaveBeenCalledOnce();
    headStart.begin(initialization());
    const { startedAt, customData } = ask();
    expect(startedAt).toBeDefined();
    await vi.waitUntil(() => parentLoad.mock.calls.length === 2, PATIENCE);
    expect(customData.onloadend).not.toHaveBeenCalled();
  });

  it('lets dash.js abort it', async () => {
    answer = (_, response) => void response.writeHead(206).write(BYTES.subarray(0, 40));
    headStart.begin(initialization());
    const request = await untilAsked();
    const closed = closeOf(request);
    const { customData } = ask();
    customData.abort!();
    expect(customData.onabort).toHaveBeenCalledOnce();
    await closed;
    expect(parentLoad).not.toHaveBeenCalled();
    expect(customData.onloadend).not.toHaveBeenCalled();
  });

  it.each([
    ['another segment', () => ask(fragment(3))],
    ['another representation', () => ask(fragment(0, 'q01'))],
    ['another address', () => ask(fragment(0), `${url}?token=2`)],
  ])('is aborted when dash.js asks for %s', async (_, askElse) => {
    answer = (_request, response) => void response.writeHead(206).write(BYTES.subarray(0, 40));
    headStart.begin(initialization());
    const closed = closeOf(await untilAsked());
    askElse();
    await closed;
    expect(parentLoad).toHaveBeenCalledOnce();
  });

  it('takes CMCD in an address for none of it', async () => {
    headStart.begin(initialization({ url: `${url}?a=1&CMCD=su` }));
    expect((await untilAsked()).url).toBe('/q00.mp4?a=1');
    expect(ask(fragment(0), `${url}?CMCD=bl%3D1&a=1`).startedAt).toBeDefined();
  });

  it.each([
    ['no session is being opened', () => (sessions.isOpening = false)],
    ['playback begins elsewhere', () => (startTime = 8)],
    ['every segment is a file', () => (next = { ...fragment(0), range: null })],
    ['the segment would take more than a second', () => (rate = 799)],
    ['the segment is said to be larger than any', () => (next = { ...fragment(0), range: `1000-${2 ** 40}` })],
    ['its range is none', () => (next = { ...fragment(0), range: 'all-of it' })],
    ['its file is another one', () => (next = { ...fragment(0), url: `${url}.mp4` })],
    ['dash.js would ask for another representation', () => (next = fragment(0, 'q01'))],
    ['dash.js has nothing to ask for', () => (next = undefined)],
  ])('asks for nothing where %s', (_, prepare) => {
    prepare();
    headStart.begin(initialization());
    expect(headStart.isRunning).toBe(false);
  });
});
