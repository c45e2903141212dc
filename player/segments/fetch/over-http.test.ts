import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { deferred, VoxelError, type DeliveredSegment, type FedDownload } from '../../../src/voxel-loader/index.js';
import { fileBytes, segmentOf } from '../../../test/unit/segment-content.js';
import type { ArrivingBody } from '../../port/arriving-body.js';
import { OverHttp } from './over-http.js';

/** Patience with what comes over a real connection. */
const PATIENCE = { timeout: 60_000 };

/** At 1000 to 1140 of its file. */
const map = segmentOf(1000, [40, 60, 10, 30]);
const WHOLE = fileBytes([map.range]);
const FILE = new Uint8Array(fileBytes([{ start: 0, end: 2000 }]));

/** A worker that cuts every 50 bytes. */
class FakeFed implements FedDownload {
  readonly #outcome = deferred<DeliveredSegment>();
  readonly result = this.#outcome.promise;
  readonly abort = vi.fn(() => this.#outcome.reject(new VoxelError('aborted', 'aborted')));
  #onPiece: Parameters<FedDownload['handOver']>[0] | undefined;
  #handedTo: number;
  here: number;

  /** What a session has brought before. */
  constructor(here = 1000) {
    this.#handedTo = this.here = here;
  }

  handOver(onPiece: Parameters<FedDownload['handOver']>[0]): void {
    this.#onPiece = onPiece;
    this.#look();
  }

  push(position: number, bytes: Uint8Array<ArrayBuffer>): void {
    expect(position).toBe(this.here);
    expect(bytes).toEqual(FILE.slice(position, position + bytes.length));
    this.here += bytes.length;
    this.#look();
  }

  end(): void {
    const bytes = FILE.slice(this.#handedTo, map.range.end);
    if (this.here < map.range.end) this.#outcome.reject(new VoxelError('incomplete', 'incomplete'));
    else this.#outcome.resolve({ bytes } as DeliveredSegment);
  }

  #look(): void {
    for (; this.#onPiece && this.here - this.#handedTo >= 50; this.#handedTo += 50) {
      const range = { start: this.#handedTo, end: this.#handedTo + 50 };
      if (range.end >= map.range.end) return;
      this.#onPiece({ bytes: FILE.slice(range.start, range.end), range } as never);
    }
  }
}

describe('OverHttp', () => {
  let server: Server;
  let url: string;
  /** What the server does with each request. */
  let answers: ((request: IncomingMessage, response: ServerResponse) => void)[];
  let asked: IncomingMessage[];
  let given: Uint8Array[];
  let fed: FakeFed;
  const progress = vi.fn();

  const send =
    (status: number, from: number, to: number) =>
    (_: unknown, response: ServerResponse): void =>
      void response.writeHead(status, { 'content-length': String(to - from) }).end(FILE.subarray(from, to));
  /** Ends in the middle of what it has promised. */
  const cutShort =
    (from: number, to: number) =>
    (_: unknown, response: ServerResponse): void => {
      response.writeHead(206, { 'content-length': '1000' }).write(FILE.subarray(from, to), () => response.destroy());
    };

  function create(change: { readonly fed?: Promise<FedDownload>; readonly timeout?: number } = {}): OverHttp {
    const answer = { timeout: change.timeout ?? 0, progress, piece: (bytes: Uint8Array) => void given.push(bytes) };
    const segment = {
      request: { url, headers: { range: 'all', a: 'b' } },
      map,
      answer,
    };
    return new OverHttp({ segment, fed: change.fed ?? Promise.resolve(fed), onProgress: () => undefined });
  }

  /** What is asked for ahead of the player, as the test lets it come. */
  function createBody() {
    const ended = deferred<unknown>();
    const bytes = new Uint8Array(140);
    const cancel = vi.fn(() => ended.reject(new Error('cancelled')));
    let onProgress = (): void => undefined;
    const body = {
      ...{ startedAt: 0, bytes, loaded: 0, shown: { bytes: 140, seconds: 1 }, ended: ended.promise, cancel },
      follow: (listener: () => void) => void (onProgress = listener),
    } satisfies ArrivingBody;
    const come = (to: number): void => {
      bytes.set(WHOLE.subarray(body.loaded, to), body.loaded);
      body.loaded = to;
      onProgress();
    };
    return { body, come, end: () => ended.resolve(undefined), fail: () => ended.reject(new Error('network')) };
  }

  const shown = (last: Uint8Array): number[] => [...given, last].flatMap((bytes) => [...bytes]);

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request);
      (answers.shift() ?? send(500, 0, 0))(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/q00.mp4`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  beforeEach(() => {
    [answers, asked, given, fed] = [[], [], [], new FakeFed()];
    progress.mockClear();
  });

  it('gives the player what comes early in pieces, and each once', async () => {
    const { body, come, end } = createBody();
    const http = create();
    const last = http.take(body);
    come(30);
    await vi.waitUntil(() => fed.here === 1030);
    expect(given).toEqual([]);
    come(70);
    expect(given).toHaveLength(1);
    expect(progress).toHaveBeenLastCalledWith(70, 140);
    come(140);
    end();
    expect(shown(await last)).toEqual([...WHOLE]);
    expect(given).toHaveLength(2);
    expect(http.pieces).toEqual(given);
    expect(asked).toEqual([]);
  });

  it.each([
    ['a worker that has cut none of it', () => Promise.resolve(new FakeFed(1000))],
    ['no worker', () => Promise.reject(new VoxelError('unsupported', ''))],
    [
      'a worker that starts later',
      () => new Promise<FedDownload>((resolve) => setTimeout(() => resolve(new FakeFed()), 20)),
    ],
  ])('gives all of it at once that is here before a piece: %s', async (_, start) => {
    const { body, come, end } = createBody();
    come(140);
    end();
    const starting = start();
    const last = await create({ fed: starting }).take(body);
    const [started] = await Promise.allSettled([starting]);
    await Promise.resolve();
    expect(shown(last)).toEqual([...WHOLE]);
    if (started.status === 'fulfilled' && given.length === 0)
      expect((started.value as FakeFed).abort).toHaveBeenCalled();
  });

  it('has another way tried where it fails before a piece', async () => {
    const { body, come, fail } = createBody();
    const http = create();
    const last = http.take(body);
    come(30);
    fail();
    await expect(last).rejects.toThrow('network');
    expect(http).toMatchObject({ isOver: true, isStopped: false, pieces: [] });
    expect(fed.abort).toHaveBeenCalled();
  });

  it.each<[string, () => typeof answers]>([
    ['the rest', () => [send(206, 1070, 1140)]],
    ['the whole file', () => [send(200, 0, 2000)]],
    ['it in two parts, with a failure between', () => [cutShort(1070, 1090), send(503, 0, 0), send(206, 1090, 1140)]],
  ])('asks for the rest where it fails after a piece; the server sends %s', async (_, script) => {
    answers = script();
    const { body, come, fail } = createBody();
    const last = create().take(body);
    await vi.waitUntil(() => (come(70), given.length === 1));
    fail();
    expect(shown(await last)).toEqual([...WHOLE]);
    expect(body.bytes).toEqual(WHOLE);
    expect(asked.map(({ headers }) => [headers.range, headers.a])).toEqual(
      asked.map((__, place) => [`bytes=${place === 0 ? 1070 : place === 1 ? 1090 : 1090}-1139`, 'b']),
    );
  });

  it('goes on with what a session has brought, from the first piece that the player has not', async () => {
    answers = [send(206, 1060, 1140)];
    fed = new FakeFed(1060);
    const { delivered, bytes, seconds } = await create().takeRest(1060);
    expect(shown(delivered.bytes)).toEqual([...fileBytes([{ start: 1060, end: 1140 }])]);
    expect(bytes).toBe(80);
    expect(seconds).toBeGreaterThan(0);
  });

  it('asks again where nothing comes in time, and gives up what the server refuses', async () => {
    answers = [() => undefined, send(404, 0, 0)];
    fed = new FakeFed(1060);
    await expect(create({ timeout: 1000 }).takeRest(1060)).rejects.toMatchObject({ isFinal: true });
    expect(asked).toHaveLength(2);
    expect(given).toEqual([]);
  });

  it('is given up where the worker has nothing of it any more', async () => {
    const http = create({ fed: Promise.reject(new VoxelError('aborted', 'no longer here')) });
    await expect(http.takeRest(1060)).rejects.toMatchObject({ code: 'aborted' });
    expect(asked).toEqual([]);
  });

  it.each<[string, (http: OverHttp, body: ArrivingBody) => Promise<unknown>]>([
    ['what comes early', (http, body) => http.take(body)],
    ['the rest', (http) => http.takeRest(1000)],
  ])('gives nothing of %s once the player wants it no more', async (_, take) => {
    answers = [(__, response) => void response.writeHead(206).write(FILE.subarray(1000, 1060))];
    const { body, come } = createBody();
    const http = create();
    const taken = take(http, body);
    await vi.waitUntil(() => (come(60), given.length === 1), PATIENCE);
    http.stop();
    fed.push(1060, FILE.slice(1060, 1140));
    await expect(taken).rejects.toThrow();
    expect(given).toHaveLength(1);
    expect(fed.abort).toHaveBeenCalled();
    expect(http.isOver).toBe(true);
  });
});
