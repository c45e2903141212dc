// @ts-check
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { seededRandom } from '../link/random.mjs';

const SOCKET_BUFFER_BYTES = 4 << 20;

/** More than the first packets from a server until a session is open. */
export const HANDSHAKE_PACKETS = 30;

/** @param {number} port 0: any free port @returns {Promise<import('node:dgram').Socket>} */
async function boundSocket(port) {
  const socket = createSocket({
    type: 'udp4',
    recvBufferSize: SOCKET_BUFFER_BYTES,
    sendBufferSize: SOCKET_BUFFER_BYTES,
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  // Whoever plays through the relay says when it is over.
  socket.unref();
  return socket;
}

/**
 * A UDP relay on loopback that drops a share of the packets from server to client: no delay, no rate limit, no privileges.
 * Its port is known before the server's, since the server announces it; packets that come before `connect` are dropped.
 * `spared`: so many first packets to each client are never dropped, for a handshake that is not what is looked at.
 * @param {{ lossPercent: number, seed: number, spared?: number }} settings
 * @returns {Promise<{ port: number, connect(serverPort: number): void, close(): void }>}
 */
export async function startRelay({ lossPercent, seed, spared = 0 }) {
  const random = seededRandom(seed);
  const front = await boundSocket(0);
  /** One socket towards the server for each client address, so that answers find their way back.
   *  @type {Map<string, Promise<import('node:dgram').Socket>>} */
  const upstreams = new Map();

  /** @param {import('node:dgram').RemoteInfo} client */
  async function openUpstream(client) {
    const socket = await boundSocket(0);
    let packets = 0;
    socket.on('message', (packet) => {
      if (packets++ < spared || random() * 100 >= lossPercent) front.send(packet, client.port, client.address);
    });
    return socket;
  }

  /** @type {number | undefined} */
  let serverPort;
  front.on('message', (packet, client) => {
    if (serverPort === undefined) return;
    const port = serverPort;
    const key = `${client.address}:${client.port}`;
    const upstream = upstreams.get(key) ?? openUpstream(client);
    upstreams.set(key, upstream);
    void upstream.then((socket) => socket.send(packet, port, '127.0.0.1'));
  });

  return {
    port: front.address().port,
    connect(port) {
      serverPort = port;
    },
    close() {
      front.close();
      for (const upstream of upstreams.values()) void upstream.then((socket) => socket.close());
    },
  };
}
