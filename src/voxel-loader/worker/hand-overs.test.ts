import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { concatenate } from '../../concatenate.js';
import { receivedExcept } from '../../../test/repair/gaps.js';
import { bytesOf, type RemovalVector } from '../../../test/repair/removal-vectors.js';
import { datagram, FakeVoxelServer, responses, type FakeRequest } from '../../../test/unit/fake-voxel-server.js';
import { createPageClient } from '../../../test/unit/page-client.js';
import { PIECE_SECONDS } from '../../delivery/begin.js';
import { totalBytes } from '../../manifest/byte-range.js';
import { IntervalSet } from '../../manifest/interval-set.js';
import { createRepairer, type ChunkState } from '../../repair/index.js';
import type { DeliveredPiece } from '../types.js';

/** A segment of two pieces, with the first bytes of the second among those that must come. */
const vector = (
  JSON.parse(readFileSync(new URL('../../../test/vectors/removal.json', import.meta.url), 'utf8')) as RemovalVector[]
)
  .filter(({ error }) => !error)
  .map(({ plan, ...one }) => {
    const others = plan.filter(({ end }) => end < bytesOf(one.segment).length);
    return { ...one, plan: others.map((frame) => ({ ...frame, needs: [] })) };
  })
  .find(({ init, segment }) => piecesOf(bytesOf(init), bytesOf(segment)).length === 2)!;
const init = bytesOf(vector.init);
const bytes = Uint8Array.from(bytesOf(vector.segment));
const [first] = piecesOf(init, bytes);
const unreliable = vector.plan.map(({ start, end }) => ({ start, end }));
const range = { start: 0, end: bytes.length };
const reliable = new IntervalSet(unreliable).gaps(0, bytes.length);
const map = {
  ...{ range, reliable, unreliable, reliableBytes: totalBytes(reliable) },
  needs: vector.plan.map(({ needs }) => needs),
};
const request = { representation: '0/q0', map, time: { start: 4, duration: 0.6 } };

function piecesOf(init: Uint8Array, segment: Uint8Array) {
  return createRepairer(init).pieces(segment, receivedExcept([]), PIECE_SECONDS);
}

/** What the pieces of the whole segment are. */
function expectedPieces(): Uint8Array[] {
  const repairer = createRepairer(init);
  let before: ChunkState | undefined;
  return piecesOf(init, bytes).map((piece) => {
    const repaired = repairer.repairPiece(
      bytes,
      receivedExcept([]),
      piece,
      { kind: 'remove', frames: vector.plan },
      before,
    );
    before = repaired.after;
    return repaired.bytes;
  });
}

async function open() {
  const server = new FakeVoxelServer();
  const client = createPageClient(server);
  client.initialize(request.representation, init);
  const session = await client.open({ url: 'https://media.example/voxel', certificateHashes: [] });
  const download = session.download({
    ...request,
    ...{ target: '/q0.mp4', edition: 0, unreliableBytes: totalBytes(unreliable), delivery: 'datagrams' },
    ...{ recovery: true, headers: {} },
  });
  download.result.catch(() => {});
  const pieces: DeliveredPiece[] = [];
  download.handOver((piece) => pieces.push(piece));
  await vi.waitFor(() => expect(server.requests).toHaveLength(2));
  const [onStream, asDatagrams] = server.requests as [FakeRequest, FakeRequest];
  /** All of the piece that comes first, and nothing else. */
  const sendFirst = (): void => {
    const before = reliable.map(({ start, end }) => ({ start, end: Math.min(end, first!.end) }));
    onStream.send(responses.reliable(map.reliableBytes));
    onStream.send(
      concatenate(before.filter(({ start, end }) => end > start).map(({ start, end }) => bytes.subarray(start, end))),
    );
    asDatagrams.send(responses.unreliable(totalBytes(unreliable), asDatagrams.flow!));
    let offset = 0;
    for (const { start, end } of unreliable) {
      if (end <= first!.end) server.sendDatagram(datagram(asDatagrams.flow!, offset, bytes.subarray(start, end)));
      offset += end - start;
    }
  };
  return { server, client, download, pieces, onStream, asDatagrams, sendFirst };
}

it('a segment comes from the worker in pieces, the last one as its result', async () => {
  const { server, download, pieces, onStream, asDatagrams, sendFirst } = await open();
  sendFirst();
  await vi.waitFor(() => expect(pieces).toHaveLength(1));
  expect(pieces[0]).toMatchObject({ number: 0, startTime: 4 });
  expect([...pieces[0]!.bytes]).toEqual([...expectedPieces()[0]!]);
  onStream.send(
    concatenate(
      reliable.map(({ start, end }) => bytes.subarray(Math.max(start, first!.end), Math.max(end, first!.end))),
    ),
  );
  let offset = 0;
  for (const { start, end } of unreliable) {
    if (end > first!.end) server.sendDatagram(datagram(asDatagrams.flow!, offset, bytes.subarray(start, end)));
    offset += end - start;
  }
  const delivered = await download.result;
  expect([...delivered.bytes]).toEqual([...expectedPieces()[1]!]);
  expect(delivered).toMatchObject({ kept: undefined, bytesReliable: map.reliableBytes, bytesLost: 0 });
  expect([...delivered.received]).toEqual([range]);
  expect(pieces).toHaveLength(1);
});

it('goes on over HTTP after the session is gone, with the pieces that are left', async () => {
  const { server, client, download, pieces, sendFirst } = await open();
  sendFirst();
  await vi.waitFor(() => expect(pieces).toHaveLength(1));
  server.breakSession();
  await expect(download.result).rejects.toMatchObject({ code: 'session-closed' });
  const rest = client.assemble({ ...request, continues: download });
  const further: DeliveredPiece[] = [];
  rest.handOver((piece) => further.push(piece));
  rest.push(first!.end, bytes.slice(first!.end));
  rest.end();
  const delivered = await rest.result;
  expect(further).toEqual([]);
  expect([...delivered.bytes]).toEqual([...expectedPieces()[1]!]);
  expect([...delivered.received]).toEqual([range]);
  // Once only.
  await expect(client.assemble({ ...request, continues: download }).result).rejects.toMatchObject({ code: 'aborted' });
});
