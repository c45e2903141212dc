import { expect, vi } from 'vitest';
import type { SegmentMap } from '../../src/manifest/segment-map.js';
import { FileVersion } from '../../src/voxel-loader/worker/file-version.js';
import { downloadSegment } from '../../src/voxel-loader/worker/segment-download.js';
import { openSession } from '../../src/voxel-loader/worker/session.js';
import type { Download, DownloadRequest, ReceivedSegment, Session } from '../../src/voxel-loader/worker/types.js';
import { datagram, FakeVoxelServer, responses, type FakeRequest } from './fake-voxel-server.js';
import { fileByte, positions, segmentOf } from './segment-content.js';

/** Two frames of 50 and 30 bytes, the one of 30 more important. */
export const map = segmentOf(1000, [10, 50, 5, 30]);
export const RTT = 40;

export interface Scene {
  readonly server: FakeVoxelServer;
  readonly session: Session;
  readonly download: Download;
  /** The request for reliable bytes, and the one for the unreliable prefix. */
  readonly reliable: FakeRequest;
  readonly unreliable: FakeRequest;
}

/** A download whose requests have just reached the server. `onRecovery`: what it does with those that follow. */
export async function start(
  change: Partial<DownloadRequest> = {},
  onRecovery: (request: FakeRequest) => void = () => {},
): Promise<Scene> {
  const server = new FakeVoxelServer((request) => {
    if (server.requests.indexOf(request) > 1) onRecovery(request);
  });
  const session = await openSession({ url: 'https://a/voxel', certificateHashes: [] }, server.WebTransport);
  return begin(server, session, change);
}

/** Another download of the same session, whose bytes come after those of `first`. */
export function startAfter({ server, session, download }: Scene): Promise<Scene> {
  return begin(server, session, { after: download });
}

async function begin(server: FakeVoxelServer, session: Session, change: Partial<DownloadRequest>): Promise<Scene> {
  const download = downloadSegment(session, {
    target: '/q03.mp4',
    map,
    file: knownVersion(),
    unreliableBytes: 80,
    delivery: 'datagrams',
    recovery: true,
    headers: {},
    headerHosts: ['a'],
    ...change,
  });
  // A test that is not about the result need not look at it.
  download.result.catch(() => {});
  await settle();
  const [reliable, unreliable] = server.requests.slice(-2);
  return { server, session, download, reliable: reliable!, unreliable: unreliable! };
}

/** Of a file of which a response has come: datagrams need not wait for the head of theirs. */
export function knownVersion(etag = '"1"'): FileVersion {
  const version = new FileVersion();
  version.check(etag);
  return version;
}

/** Until everything that needs no time is done. */
export async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

export function answer(request: FakeRequest, body = request.body): void {
  request.send(responses.reliable(request.body.length));
  request.send(body);
}

export function sendDatagram({ server, unreliable }: Scene, start: number, end: number): void {
  server.sendDatagram(datagram(unreliable.flow!, start, unreliable.body.subarray(start, end)));
}

export async function isSettled(result: Promise<unknown>): Promise<boolean> {
  let settled = false;
  result.then(
    () => (settled = true),
    () => (settled = true),
  );
  await settle();
  return settled;
}

/** What holds for every delivered segment. */
export function expectSound(delivered: ReceivedSegment, map: SegmentMap, unreliableBytes: number): void {
  const here = new Set([...delivered.received].flatMap(positions));
  const base = map.range.start;
  expect([...delivered.bytes]).toEqual(positions(map.range).map((at) => (here.has(at - base) ? fileByte(at) : 0)));
  expect(map.reliable.every(({ start, end }) => delivered.received.contains(start - base, end - base))).toBe(true);
  expect(delivered.bytesReliable).toBe(map.reliableBytes);
  expect(delivered.bytesUnreliable).toBe(here.size - map.reliableBytes);
  expect(delivered.lost.flatMap(positions).filter((at) => here.has(at))).toEqual([]);
  expect(delivered.lost.flatMap(positions)).toHaveLength(delivered.bytesLost);
  expect(delivered.bytesUnreliable + delivered.bytesLost + delivered.bytesUnsent).toBe(unreliableBytes);
}
