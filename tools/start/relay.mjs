// @ts-check
import { seededRandom } from '../link/random.mjs';
import { startUdpRelay } from '../link/udp-relay.mjs';

/** More than the first packets from a server until a session is open. */
export const HANDSHAKE_PACKETS = 30;

/**
 * @typedef {object} Losses
 * @property {number} lossPercent
 * @property {number} seed the same one drops the same packets
 * @property {number} [spared] so many first packets to each client are never dropped, for a handshake that is not what is looked at
 */

/** @param {Losses} losses @returns {() => import('../link/udp-relay.mjs').Path} for each client */
export function lossyPaths({ lossPercent, seed, spared = 0 }) {
  const random = seededRandom(seed);
  return () => {
    let packets = 0;
    return {
      down(packet, send) {
        if (packets++ < spared || random() * 100 >= lossPercent) send(packet);
      },
      up: (packet, send) => send(packet),
    };
  };
}

/**
 * A UDP relay on loopback that drops a share of the packets from server to client: no delay, no rate limit, no privileges.
 * Its port is known before the server's, since the server announces it; packets that come before `connect` are dropped.
 * @param {Losses} losses @returns {Promise<{ port: number, connect(serverPort: number): void, close(): void }>}
 */
export async function startRelay(losses) {
  /** @type {number | undefined} */
  let serverPort;
  const { port, close } = await startUdpRelay({ serverPort: () => serverPort, path: lossyPaths(losses) });
  return {
    port,
    connect(port) {
      serverPort = port;
    },
    close,
  };
}
