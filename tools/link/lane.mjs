// @ts-check
import { performance } from 'node:perf_hooks';
import { Capacity, conditionsAt } from './capacity.mjs';
import { Link } from './link.mjs';
import { lossPattern } from './losses.mjs';
import { pump } from './pump.mjs';
import { seededRandom } from './random.mjs';
import { startTcpRelay } from './tcp-relay.mjs';
import { startUdpRelay } from './udp-relay.mjs';

/**
 * A link that is emulated: its trace downwards, how long a packet travels each way, its queue in packets, and its losses, unless the trace has them.
 * @typedef {{ trace: import('./capacity.mjs').Trace, delayMs: number, queuePackets: number,
 *   loss?: { percent: number, meanBurst?: number } }} LinkSettings
 */

/** Upwards there are requests and acknowledgements: never the bottleneck. */
const UP = { trace: { step: 1, rates: [100e6] }, queuePackets: 1000 };

/** Headers of IPv4 and UDP: a link's rate is that of IP packets. */
const UDP_HEADER_BYTES = 28;

/** @param {ReturnType<typeof pump>} link @returns {import('./udp-relay.mjs').Pass} */
const over = (link) => (packet, send) => link.offer(packet.length + UDP_HEADER_BYTES, () => send(packet));

/** @param {(now: number) => import('./capacity.mjs').Conditions} conditions @returns {(now: number) => import('./losses.mjs').Loss} */
const lossAt = (conditions) => (now) => {
  const { lossPercent, meanBurst } = conditions(now);
  return { percent: lossPercent, meanBurst };
};

/**
 * A link of its own for one player, without privileges: a relay for UDP and one for TCP on loopback, whose packets share the link.
 * Its trace begins at once.
 * @param {LinkSettings} settings @param {{ httpPort: number, quicPort: number, seed: number }} server
 */
export async function startLane({ trace, delayMs, queuePackets, loss }, { httpPort, quicPort, seed }) {
  const startedAt = performance.now();
  const conditions = conditionsAt(trace);
  const travel = (/** @type {number} */ sent) => delayMs + conditions(sent).delayMs;
  const isLost = lossPattern(loss ?? lossAt(conditions), seededRandom(seed));
  /** @type {Link<() => void>} */
  const link = new Link({ capacity: new Capacity(trace), delayMs: travel, queuePackets, isLost });
  /** @type {Link<() => void>} */
  const upLink = new Link({ capacity: new Capacity(UP.trace), delayMs: travel, queuePackets: UP.queuePackets });
  // The pump is there before the relay.
  let feed = () => {};
  const down = pump(link, startedAt, () => feed());
  const up = pump(upLink, startedAt);
  const udp = await startUdpRelay({
    serverPort: () => quicPort,
    path: () => ({ down: over(down), up: over(up) }),
  });
  const tcp = await startTcpRelay({
    serverPort: httpPort,
    down: (bytes, deliver) => down.offerReliable(bytes, deliver),
    up: (bytes, deliver) => up.offerReliable(bytes, deliver),
    hasRoom: () => link.reliableWaiting < queuePackets,
  });
  feed = () => tcp.feed();
  return {
    /** Of HTTP/1.1, and of QUIC. */
    tcpPort: tcp.port,
    udpPort: udp.port,
    /** Of the trace, s. */
    seconds: () => down.now() / 1000,
    counts: () => link.counts,
    /** Bytes that the link could have sent so far. */
    capacity: () => link.capacityUntil(down.now()),
    /** @param {number} scale of the trace, from now on */
    rescale(scale) {
      link.rescale(scale, down.now());
      down.turn();
    },
    close() {
      for (const part of [down, up, udp, tcp]) part.close();
    },
  };
}
