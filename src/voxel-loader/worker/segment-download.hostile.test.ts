import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { expectSound, settle, start, type Scene } from '../../../test/unit/download-scene.js';
import { datagram, responses } from '../../../test/unit/fake-voxel-server.js';
import { anyRequest } from '../../../test/unit/segment-content.js';
import { VoxelError } from '../errors.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Longer than a download can take to notice that nothing more comes. */
const LONG_MS = 60_000;

interface Fate {
  /** How often a datagram arrives. */
  readonly copies: number;
  /** When, among the others. */
  readonly order: number;
}

const fate: fc.Arbitrary<Fate> = fc.record({ copies: fc.constantFrom(0, 1, 1, 1, 2), order: fc.nat() });
const fates = fc.array(fate, { minLength: 1, maxLength: 100 });
const cuts = fc.array(fc.nat(400), { maxLength: 8 });

/** The datagrams of the unreliable part, in the order of arrival; the fates are taken in turn. */
function arrivals({ unreliable }: Scene, size: number, fates: readonly Fate[]): { start: number; bytes: Uint8Array }[] {
  const { body, flow } = unreliable;
  const arriving = [];
  for (let start = 0; start < body.length; start += size) {
    const { copies, order } = fates[(start / size) % fates.length]!;
    const bytes = datagram(flow!, start, body.subarray(start, start + size));
    for (let copy = 0; copy < copies; copy++) arriving.push({ start, bytes, order: order + copy * 1000 });
  }
  return arriving.sort((a, b) => a.order - b.order);
}

/** What must be ignored: other flows, places beyond the body, numbers that end too early. */
function garbage({ unreliable }: Scene, number: number): Uint8Array {
  const { flow, body } = unreliable;
  const payload = new Uint8Array(1 + (number % 5)).fill(number);
  return [
    datagram(flow! + 1 + number, 0, payload),
    datagram(flow!, body.length + number, payload),
    datagram(flow!, body.length - 1, new Uint8Array(2).fill(number)),
    Uint8Array.of(0xc0 + (number % 64), number),
    new Uint8Array(),
  ][number % 5]!;
}

/** The bytes of a text and of a body, cut at these places. */
function pieces(text: string, body: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const whole = Uint8Array.from([...new TextEncoder().encode(text), ...body]);
  const ends = [...new Set([...cuts.filter((cut) => cut < whole.length), whole.length])].sort((a, b) => a - b);
  return ends.map((end, index) => whole.subarray(ends[index - 1] ?? 0, end));
}

describe('a download over a bad network', () => {
  it('holds exactly what arrived: loss, reordering, duplicates, garbage, any division of the streams', async () => {
    const request = anyRequest.filter(({ unreliableBytes }) => unreliableBytes > 0);
    const size = fc.integer({ min: 1, max: 90 });
    const noise = fc.array(fc.nat(1000), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        request,
        size,
        fates,
        noise,
        cuts,
        fc.boolean(),
        async (request, size, fates, noise, cuts, failing) => {
          const { map, unreliableBytes } = request;
          const scene = await start(request, (recovery) => {
            const text = responses.reliable(recovery.body.length);
            const sent = failing ? recovery.body.subarray(0, recovery.body.length >> 1) : recovery.body;
            for (const bytes of pieces(text, sent, cuts)) recovery.send(bytes);
            recovery.finish();
          });
          const { server, reliable, unreliable, download } = scene;
          const arriving = arrivals(scene, size, fates);
          for (const number of noise) server.sendDatagram(garbage(scene, number));
          for (const { bytes } of arriving) server.sendDatagram(bytes);
          const answer =
            responses.unreliable(unreliableBytes, unreliable.flow!) + responses.trailer(unreliableBytes, 30);
          for (const bytes of pieces(answer, new Uint8Array(), cuts)) unreliable.send(bytes);
          for (const bytes of pieces(responses.reliable(map.reliableBytes), reliable.body, cuts)) reliable.send(bytes);
          await vi.advanceTimersByTimeAsync(LONG_MS);
          const delivered = await download.result;
          expectSound(delivered, map, unreliableBytes);
          const starts = [...new Set(arriving.map(({ start }) => start))];
          const arrived = starts.reduce((sum, start) => sum + Math.min(size, unreliableBytes - start), 0);
          expect(delivered.bytesRepeated).toBe(unreliableBytes - arrived);
          expect(delivered.bytesRecovered).toBe(delivered.bytesUnreliable - arrived);
          expect(delivered.bytesLost).toBe(unreliableBytes - delivered.bytesUnreliable);
          if (!failing) expect(delivered.bytesLost).toBe(0);
          if (!failing) expect(delivered.failure).toBeUndefined();
        },
      ),
    );
  });
});

/** Heads (and what else precedes a body), sensible or not. */
const answers = [
  responses.reliable,
  responses.unreliable,
  (length: number, flow: number) => responses.unreliable(length, flow) + responses.trailer(length, 30),
  (length: number, flow: number) => responses.unreliable(length, flow) + responses.trailer(length >> 1, 30),
  (length: number, flow: number) => responses.unreliable(length, flow) + responses.trailer(length + 1, 30),
  (length: number, flow: number) => responses.unreliable(length, flow + 1),
  (length: number) => responses.reliable(length + 1),
  () => responses.error(503),
  () => 'HTTP/1.1 206 OK\r\n\r\n',
  () => 'HTTP/1.1 206 OK\r\ntransfer-encoding: chunked\r\n\r\nffffff\r\n',
  () => '',
];

const happening = fc.record({
  what: fc.constantFrom('datagram', 'datagram', 'datagram', 'bytes', 'bytes', 'wait', 'keep', 'reset', 'FIN', 'break'),
  /** Which of the two streams. */
  stream: fc.nat(1),
  /** Bytes or milliseconds. */
  amount: fc.nat(300),
});

describe('a download from a server gone mad', () => {
  it('always ends, with a sound segment or a VoxelError', async () => {
    const answer = fc.constantFrom(...answers);
    const goodOrNot = fc.oneof(fc.constant(responses.reliable), answer);
    const happenings = fc.array(happening, { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(anyRequest, goodOrNot, answer, fates, happenings, async (request, a, b, fates, happenings) => {
        const scene = await start(request);
        const { server, download } = scene;
        const outcome = download.result.then(
          (delivered) => expectSound(delivered, request.map, request.unreliableBytes),
          (error: unknown) => expect(error).toBeInstanceOf(VoxelError),
        );
        const streams = server.requests.map((request, index) => ({
          request,
          bytes: pieces([a, b][index]!(request.body.length, request.flow ?? 0), request.body, [])[0]!,
        }));
        const datagrams = request.unreliableBytes > 0 ? arrivals(scene, 16, fates) : [];
        for (const { what, stream, amount } of happenings) {
          const chosen = streams[stream % streams.length]!;
          if (what === 'datagram') server.sendDatagram(datagrams.shift()?.bytes ?? new Uint8Array());
          if (what === 'wait') await vi.advanceTimersByTimeAsync(amount * 10);
          if (what === 'keep') download.keep();
          if (what === 'reset') chosen.request.reset();
          if (what === 'FIN') chosen.request.finish();
          if (what === 'break') server.breakSession();
          if (what === 'bytes') {
            chosen.request.send(chosen.bytes.subarray(0, amount));
            chosen.bytes = chosen.bytes.subarray(amount);
          }
          await settle();
        }
        await vi.advanceTimersByTimeAsync(LONG_MS);
        await outcome;
      }),
      { numRuns: 300 },
    );
  });
});
