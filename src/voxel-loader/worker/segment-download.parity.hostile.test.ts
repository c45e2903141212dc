import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answer, expectSound, settle, start } from '../../../test/unit/download-scene.js';
import { datagram, responses } from '../../../test/unit/fake-voxel-server.js';
import { datagramsOf, type FlowDatagram } from '../../../test/unit/parity-flow.js';
import { anyRequest, fileByte, positions, segmentOf } from '../../../test/unit/segment-content.js';
import { blocksOf, type Parity } from '../../coding/symbols.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Longer than a download can take to notice that nothing more comes. */
const LONG_MS = 60_000;

const request = anyRequest.filter(({ unreliableBytes }) => unreliableBytes > 0);

const anyParity: fc.Arbitrary<Parity> = fc.record({
  amounts: fc.array(fc.nat(4), { minLength: 1, maxLength: 4 }),
  block: fc.integer({ min: 1, max: 6 }),
  symbol: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
});

/** How often a datagram arrives, and how much later than in its turn. */
const fates = fc.array(
  fc.record({ copies: fc.constantFrom(0, 1, 1, 1, 2), delay: fc.constantFrom(0, 0, 0, 2.5, 7.5) }),
  {
    minLength: 1,
    maxLength: 60,
  },
);

/** Places of the body that arrived or can be filled: a block with as much parity as it misses symbols. */
function expectedBytes(datagrams: readonly FlowDatagram[], came: ReadonlySet<FlowDatagram>): number {
  const numbers = [...new Set(datagrams.map(({ block }) => block))];
  return numbers.reduce((sum, number) => {
    const block = datagrams.filter((one) => one.block === number);
    const data = block.filter(({ isParity }) => !isParity);
    const parity = block.filter((one) => one.isParity && came.has(one)).length;
    const isFilled = data.filter((one) => !came.has(one)).length <= parity;
    const here = data.filter((one) => isFilled || came.has(one));
    return sum + here.reduce((bytes, { payload }) => bytes + payload.length, 0);
  }, 0);
}

const nineBytes = { map: segmentOf(0, [1, 8]), unreliableBytes: 4 };

/** All of it before the head. */
const allTwice: { copies: 0 | 1 | 2; delay: 0 | 2.5 | 7.5 }[] = [
  { copies: 2, delay: 0 },
  { copies: 2, delay: 0 },
  { copies: 0, delay: 0 },
  { copies: 2, delay: 0 },
];

describe('a download with parity over a bad network', () => {
  it('has the right bytes, and all that can be filled, under any loss, order and repetition', async () => {
    await fc.assert(
      fc.asyncProperty(request, anyParity, fates, fc.boolean(), async (request, parity, fates, isHeadFirst) => {
        const { map, unreliableBytes } = request;
        const scene = await start({ ...request, parity, recovery: false });
        const { server, reliable, unreliable, download } = scene;
        const lengths = unreliable.ranges.map(({ start, end }) => end - start);
        const datagrams = datagramsOf(unreliable.body, lengths, parity);
        const fateOf = (index: number) => fates[index % fates.length]!;
        const arriving = datagrams
          .flatMap((one, index) =>
            Array.from({ length: fateOf(index).copies }, () => ({ one, at: index + fateOf(index).delay })),
          )
          .sort((a, b) => a.at - b.at);
        const head = responses.unreliable(unreliableBytes, unreliable.flow!, unreliable.parity);
        answer(reliable);
        if (isHeadFirst) unreliable.send(head);
        await settle();
        for (const { one } of arriving) server.sendDatagram(datagram(unreliable.flow!, one.offset, one.payload));
        await settle();
        if (!isHeadFirst) unreliable.send(head);
        unreliable.send(responses.trailer(unreliableBytes, 30));
        await vi.advanceTimersByTimeAsync(LONG_MS);
        const delivered = await download.result;
        expectSound(delivered, map, unreliableBytes);
        const came = new Set(arriving.map(({ one }) => one));
        expect(delivered.bytesUnreliable).toBe(expectedBytes(datagrams, came));
        const bytesCame = datagrams.filter((one) => came.has(one) && !one.isParity);
        const direct = bytesCame.reduce((sum, { payload }) => sum + payload.length, 0);
        expect(delivered.bytesDecoded).toBeGreaterThanOrEqual(delivered.bytesUnreliable - direct);
        expect(delivered.failure).toBeUndefined();
      }),
      { examples: [[nineBytes, { amounts: [1, 3], block: 1, symbol: 1 }, allTwice, false]] },
    );
  });

  it('asks for every lost byte that it cannot fill again, so that none is missing in the end', async () => {
    await fc.assert(
      fc.asyncProperty(request, anyParity, fates, fc.boolean(), async (request, parity, fates, isHonoured) => {
        const { map, unreliableBytes } = request;
        const scene = await start({ ...request, parity }, (recovery) => answer(recovery));
        const { server, reliable, unreliable, download } = scene;
        const lengths = unreliable.ranges.map(({ start, end }) => end - start);
        answer(reliable);
        unreliable.send(
          responses.unreliable(unreliableBytes, unreliable.flow!, isHonoured ? unreliable.parity : undefined),
        );
        for (const [index, { offset, payload, isParity }] of datagramsOf(unreliable.body, lengths, parity).entries()) {
          if (isParity && !isHonoured) continue;
          const { copies, delay } = fates[index % fates.length]!;
          if (copies > 0) server.sendDatagram(datagram(unreliable.flow!, offset, payload));
          await vi.advanceTimersByTimeAsync(delay);
        }
        unreliable.send(responses.trailer(unreliableBytes, 30));
        await vi.advanceTimersByTimeAsync(LONG_MS);
        const delivered = await download.result;
        expectSound(delivered, map, unreliableBytes);
        expect(delivered.bytesUnreliable).toBe(unreliableBytes);
        expect(delivered.failure).toBeUndefined();
      }),
    );
  });
});

describe('a download with parity from a server gone mad', () => {
  it('writes nowhere but in what was asked for as datagrams, and counts right', async () => {
    const noise = fc.record({
      /** Near what a datagram may be, or anywhere. */
      index: fc.nat(),
      shift: fc.constantFrom(0, 0, 0, 1, -1, 7),
      longer: fc.constantFrom(0, 0, 0, 1, -1, 30),
      value: fc.nat(255),
      wait: fc.constantFrom(0, 0, 20),
    });
    const trailer = fc.option(fc.nat(600), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        request,
        anyParity,
        fc.array(noise, { maxLength: 60 }),
        trailer,
        async (request, parity, all, sent) => {
          const { map, unreliableBytes } = request;
          const scene = await start({ ...request, parity }, (recovery) => answer(recovery));
          const { server, reliable, unreliable, download } = scene;
          const lengths = unreliable.ranges.map(({ start, end }) => end - start);
          const places = datagramsOf(unreliable.body, lengths, parity);
          unreliable.send(responses.unreliable(unreliableBytes, unreliable.flow!, unreliable.parity));
          answer(reliable);
          for (const { index, shift, longer, value, wait } of all) {
            const { offset, payload } = places[index % places.length]!;
            const bytes = new Uint8Array(Math.max(0, payload.length + longer)).fill(value);
            server.sendDatagram(datagram(unreliable.flow!, Math.max(0, offset + shift), bytes));
            await vi.advanceTimersByTimeAsync(wait);
          }
          unreliable.send(responses.trailer(unreliableBytes, 30, sent));
          await vi.advanceTimersByTimeAsync(LONG_MS);
          const delivered = await download.result;
          const base = map.range.start;
          for (const at of map.reliable.flatMap(positions)) expect(delivered.bytes[at - base]).toBe(fileByte(at));
          const asked = new Set([...map.reliable, ...unreliable.ranges].flatMap(positions));
          for (const at of positions(map.range)) if (!asked.has(at)) expect(delivered.bytes[at - base]).toBe(0);
          expect([...delivered.received].flatMap(positions)).toHaveLength(
            delivered.bytesReliable + delivered.bytesUnreliable,
          );
          expect(delivered.bytesUnreliable + delivered.bytesLost + delivered.bytesUnsent).toBe(unreliableBytes);
          expect(delivered.bytesDecoded).toBeLessThanOrEqual(delivered.bytesUnreliable);
          const most = blocksOf(lengths, parity).reduce((sum, block) => sum + block.parity * block.symbolBytes, 0);
          expect(delivered.bytesParity).toBeLessThanOrEqual(most);
        },
      ),
    );
  });
});
