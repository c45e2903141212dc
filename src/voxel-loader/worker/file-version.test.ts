import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answer, isSettled, sendDatagram, settle, start } from '../../../test/unit/download-scene.js';
import { datagram, FakeVoxelServer, responses, type FakeRequest } from '../../../test/unit/fake-voxel-server.js';
import { openPageSession } from '../../../test/unit/page-client.js';
import { fileByte, positions, segmentOf } from '../../../test/unit/segment-content.js';
import type { VoxelError } from '../errors.js';
import type { DeliveredSegment } from '../types.js';
import { FileVersion, FileVersions } from './file-version.js';
import { Repairers } from './repairers.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The head of a response, with an ETag. */
const withETag = (head: string, etag: string): string => head.replace('\r\n', `\r\netag: ${etag}\r\n`);

describe('FileVersion', () => {
  it('is the one of the first response', () => {
    const version = new FileVersion();
    version.check('"1"');
    version.check('"1"');
    version.check(undefined);
    expect(version.etag).toBe('"1"');
    expect(() => version.check('"2"')).toThrow(
      expect.objectContaining({
        code: 'file-changed',
        message: 'the file has changed on the server: its ETag was "1", is "2"',
      }),
    );
  });

  it.each(['W/"1"', '1', '"a" , "b"', '"a\xe9"', '"a"b"', ''])('learns nothing from %j', (etag) => {
    const version = new FileVersion();
    version.check(etag);
    expect(version.etag).toBeUndefined();
  });
});

describe('FileVersions', () => {
  it('are told apart by server, path and edition, not by query', () => {
    const versions = new FileVersions();
    const first = versions.of('a', '/q.mp4', 0);
    expect(versions.of('a', '/q.mp4?CMCD=bl%3D1', 0)).toBe(first);
    const others = [versions.of('b', '/q.mp4', 0), versions.of('a', '/r.mp4', 0), versions.of('a', '/q.mp4', 1)];
    expect(new Set([first, ...others]).size).toBe(4);
  });

  it('keep those that are used', () => {
    const versions = new FileVersions();
    const [used, unused] = [versions.of('a', '/used', 0), versions.of('a', '/unused', 0)];
    for (let file = 0; file < 1000; file++) {
      versions.of('a', `/${file}`, 0);
      versions.of('a', '/used', 0);
    }
    expect(versions.of('a', '/used', 0)).toBe(used);
    expect(versions.of('a', '/unused', 0)).not.toBe(unused);
  });
});

describe('a download of a file that changes', () => {
  it('fails, whichever part is of another version', async () => {
    for (const changed of ['reliable', 'unreliable'] as const) {
      const scene = await start();
      scene[changed].send(withETag(responses.error(412), '"2"'));
      await expect(scene.download.result).rejects.toMatchObject({
        code: 'file-changed',
        message: expect.stringContaining('was "1", is "2"') as string,
      });
    }
  });

  it('fails with all reliable bytes here, too', async () => {
    const scene = await start();
    answer(scene.reliable);
    sendDatagram(scene, 0, 20);
    await settle();
    scene.unreliable.send(withETag(responses.unreliable(80, scene.unreliable.flow!), '"2"'));
    await expect(scene.download.result).rejects.toMatchObject({ code: 'file-changed' });
  });

  it('uses no datagram before it is known of which version that is', async () => {
    const scene = await start({ file: new FileVersion() });
    expect(scene.unreliable.head).not.toContain('if-match');
    answer(scene.reliable);
    sendDatagram(scene, 0, 80);
    expect(await isSettled(scene.download.result)).toBe(false);
    expect(scene.download.progress().bytesUnreliable).toBe(0);
    scene.unreliable.send(withETag(responses.unreliable(80, scene.unreliable.flow!), '"1"'));
    expect((await scene.download.result).bytesUnreliable).toBe(80);
  });
});

/** Byte `position` of the file in one of its versions; they differ everywhere. */
const byteOf = (version: number, position: number): number =>
  version === 0 ? fileByte(position) : (fileByte(position) % 255) + 1;

const anyScript = fc.record({
  /** Which version the server has at each request. */
  versions: fc.array(fc.nat(1), { minLength: 1, maxLength: 12 }),
  /** One that does not look at `if-match` breaks the protocol; its answers still say what they are of. */
  looksAtETags: fc.boolean(),
  datagramsFirst: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
  hasHead: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
  /** What has arrived of each flow, of ten. */
  arrived: fc.array(fc.nat(10), { minLength: 1, maxLength: 5 }),
});

it('never puts bytes of two versions together, whenever the file changes', async () => {
  vi.spyOn(Repairers.prototype, 'repair').mockImplementation((_, { bytes }) => ({ bytes, frames: [] }));
  const map = segmentOf(1000, [40, 60, 10, 30]);
  await fc.assert(
    fc.asyncProperty(anyScript, async ({ versions, looksAtETags, datagramsFirst, hasHead, arrived }) => {
      let count = 0;
      const server = new FakeVoxelServer((request: FakeRequest) => {
        const turn = count++;
        const of = <T>(list: readonly T[]): T => list[turn % list.length]!;
        const version = of(versions);
        const etag = `"${version}"`;
        const asked = /if-match: (".*")\r\n/.exec(request.head)?.[1];
        if (looksAtETags && asked !== undefined && asked !== etag) {
          request.send(withETag(responses.error(412), etag));
          request.finish();
          return;
        }
        const body = Uint8Array.from(request.ranges.flatMap(positions), (at) => byteOf(version, at));
        const { flow } = request;
        const answers = of(hasHead) || !looksAtETags;
        if (flow === undefined) {
          request.send(withETag(responses.reliable(body.length), etag));
          request.send(body);
          request.finish();
          return;
        }
        const head = withETag(responses.unreliable(body.length, flow), etag);
        if (!of(datagramsFirst) && answers) request.send(head);
        for (let piece = 0; piece < of(arrived); piece++) {
          const [from, to] = [piece, piece + 1].map((end) => Math.floor((body.length * end) / 10));
          server.sendDatagram(datagram(flow, from!, body.subarray(from, to)));
        }
        if (!answers) {
          request.reset();
          return;
        }
        if (of(datagramsFirst)) request.send(head);
        request.send(responses.trailer(body.length, 1));
        request.finish();
      });
      const session = await openPageSession(server);
      const expectOneVersion = ({ bytes, received }: DeliveredSegment): void => {
        const seen = [0, 1].filter((version) =>
          [...received].flatMap(positions).every((at) => bytes[at] === byteOf(version, map.range.start + at)),
        );
        expect(seen).toHaveLength(1);
      };
      let edition = 0;
      for (let segment = 0; segment < 6; segment++) {
        const request = { representation: '0/q', target: '/q.mp4', map, edition, unreliableBytes: 90, headers: {} };
        const download = session.download({ ...request, delivery: 'datagrams', recovery: true });
        const improve = async (delivered: DeliveredSegment): Promise<void> => {
          expectOneVersion(delivered);
          if (!delivered.kept) return;
          const better = await session.fetchInto(delivered.kept, map.unreliable).result.catch(() => undefined);
          if (better) expectOneVersion(better);
        };
        const ended = download.result.then(improve, (error: unknown) => {
          if ((error as VoxelError).code === 'file-changed') edition++;
        });
        await Promise.all([ended, vi.advanceTimersByTimeAsync(1_500)]);
      }
    }),
    { numRuns: 200 },
  );
});
