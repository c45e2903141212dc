import { expect, it } from 'vitest';
import type { Option } from '../../src/abr-star/index.js';
import { Arrivals } from './arrivals.js';
import { Link } from './link/link.js';
import { QuicTransport } from './link/quic-transport.js';
import { makeTrace } from './link/trace.js';
import type { Delivery } from './link/transport.js';
import { seededRandom } from './random.js';
import { Recovery } from './recovery.js';

const OPTION: Option = { representation: 0, level: 0, bytes: 1e6, reliableBytes: 1e3, score: 1 };
const STEP = 0.05;

/** How many bytes could be used after each 50 ms, over 10 Mbit/s that lose 2 % of the packets, with 400 ms there and back. */
function usableBytes(delivery: Delivery) {
  const path = { roundTrip: 0.4, queuePackets: 1e6, loss: 0.02, control: 'bbr' } as const;
  const transport = new QuicTransport(new Link(makeTrace('constant', 1, [10e6])), path, seededRandom(4));
  transport.request(0, OPTION.bytes);
  const recovery = new Recovery(transport, 0, 0);
  const urgent = { bytesLeft: 0, receive: () => -Infinity };
  const arrivals = new Arrivals({ option: OPTION, delivery, parityBytes: 0, urgent, recovery });
  const usable: number[] = [];
  for (let time = 0; !arrivals.isComplete;) {
    time = arrivals.receive(transport, time, STEP * (usable.length + 1));
    usable.push(arrivals.arrived);
  }
  return usable;
}

it('reads a stream up to its first gap, and as datagrams all that is here', () => {
  const [stream, datagrams] = [usableBytes('streams'), usableBytes('datagrams')];
  // Nothing for so many looks in a row.
  const longestRest = (usable: readonly number[]) => {
    const news = usable.flatMap((bytes, index) => (bytes > (usable[index - 1] ?? 0) ? [index] : []));
    return Math.max(...news.slice(1).map((index, next) => index - news[next]!));
  };
  // A round trip is eight looks.
  expect(longestRest(stream)).toBeGreaterThanOrEqual(8);
  expect(longestRest(datagrams)).toBeLessThan(4);
  expect(stream.at(-1)).toBe(OPTION.bytes);
  // These are not asked for again.
  expect(datagrams.at(-1)).toBeLessThan(OPTION.bytes);
});
