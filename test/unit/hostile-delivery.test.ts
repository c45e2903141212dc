import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ByteRange } from '../../src/manifest/byte-range.js';
import { createRepairer as createPublicRepairer } from '../../src/repair/public.js';
import { createRepairer } from '../../src/repair/index.js';
import { FileVersion } from '../../src/voxel-loader/worker/file-version.js';
import { downloadSegment } from '../../src/voxel-loader/worker/segment-download.js';
import { openSession } from '../../src/voxel-loader/worker/session.js';
import type { SegmentLayout } from '../../src/voxel-loader/types.js';
import { strictDecode } from '../browser/support/strict-decode.js';
import { encodeClip, initEnd, SYNTHETIC_CLIPS } from '../repair/clips.js';
import { datagram, FakeVoxelServer, responses } from './fake-voxel-server.js';

/** Each run decodes once. */
const RUNS = 20;
const LARGEST_PAYLOAD = 1200;

const folder = mkdtempSync(join(tmpdir(), 'voxel-hostile-'));
afterAll(() => rmSync(folder, { recursive: true }));

let file: Buffer;
let init: Uint8Array;
let layout: SegmentLayout;

beforeAll(() => {
  file = readFileSync(encodeClip(SYNTHETIC_CLIPS[0]!, folder));
  init = file.subarray(0, initEnd(file));
  layout = layoutOf(file);
});

/** All after the init segment: what follows the headers of P and B slices is unreliable, in file order. */
function layoutOf(clip: Uint8Array): SegmentLayout {
  const start = initEnd(clip);
  const unreliable = createPublicRepairer(clip.subarray(0, start))
    .unreliableRanges(clip.subarray(start))
    .map((range) => ({ start: start + range.start, end: start + range.end }));
  const reliable: ByteRange[] = [];
  let at = start;
  for (const range of unreliable) {
    reliable.push({ start: at, end: range.start });
    at = range.end;
  }
  reliable.push({ start: at, end: clip.length });
  const reliableBytes = reliable.reduce((sum, range) => sum + range.end - range.start, 0);
  return { range: { start, end: clip.length }, reliable, unreliable, reliableBytes };
}

const bytesOf = (ranges: readonly ByteRange[]): Uint8Array =>
  Buffer.concat(ranges.map((range) => file.subarray(range.start, range.end)));

/** Where the body is cut, what becomes of each piece, and which nonsense comes along. */
const anyDelivery = fc.record({
  payload: fc.integer({ min: 200, max: LARGEST_PAYLOAD }),
  fates: fc.infiniteStream(fc.constantFrom('once', 'once', 'once', 'twice', 'lost', 'late')),
  garbage: fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 10 }),
  beyond: fc.nat(1000),
});

async function deliver({
  payload,
  fates,
  garbage,
  beyond,
}: typeof anyDelivery extends fc.Arbitrary<infer T> ? T : never) {
  const server = new FakeVoxelServer((request) => {
    const body = bytesOf(request.ranges);
    const { flow } = request;
    if (flow === undefined) {
      request.send(responses.reliable(body.length));
      request.send(body);
    } else {
      const late: Uint8Array[] = [];
      for (let offset = 0; offset < body.length; offset += payload) {
        const piece = datagram(flow, offset, body.subarray(offset, offset + payload));
        const { value: fate } = fates.next() as { value: string };
        if (fate === 'late') late.unshift(piece);
        else if (fate !== 'lost') server.sendDatagram(piece);
        if (fate === 'twice') late.push(piece);
      }
      // Flows that nobody asked for, and places outside of the body.
      for (const bytes of garbage) server.sendDatagram(Uint8Array.from([0x3f, ...bytes]));
      server.sendDatagram(datagram(flow, body.length - 1 + beyond, new Uint8Array(2)));
      for (const piece of late) server.sendDatagram(piece);
      request.send(responses.unreliable(body.length, flow));
      request.send(responses.trailer(body.length, 1));
    }
    request.finish();
  });
  const endpoint = { url: 'https://media.example/voxel', certificateHashes: [] };
  const session = await openSession(endpoint, server.WebTransport);
  const unreliableBytes = layout.unreliable.reduce((sum, range) => sum + range.end - range.start, 0);
  const request = { target: '/a.mp4', map: layout, unreliableBytes, delivery: 'datagrams', recovery: false } as const;
  return downloadSegment(session, { ...request, headers: {}, file: new FileVersion() }).result;
}

it('decodes strictly, every picture of it, whatever subset of the datagrams comes in whatever order', async () => {
  const pictures = strictDecode(init, file.subarray(layout.range.start)).length;
  await fc.assert(
    fc.asyncProperty(anyDelivery, async (delivery) => {
      const { bytes, received } = await deliver(delivery);
      for (const { start, end } of received) {
        expect(Buffer.compare(bytes.subarray(start, end), file.subarray(init.length + start, init.length + end))).toBe(
          0,
        );
      }
      expect(strictDecode(init, createRepairer(init).repair(bytes, received).bytes)).toHaveLength(pictures);
    }),
    { numRuns: RUNS },
  );
});
