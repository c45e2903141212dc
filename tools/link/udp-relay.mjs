// @ts-check
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const SOCKET_BUFFER_BYTES = 4 << 20;

/** Headers of IPv4 and UDP: a link's rate is that of IP packets. */
const HEADER_BYTES = 28;

/** @typedef {(bytes: number, deliver: () => void) => void} Offer hands a packet of so many bytes to a link */

/** @returns {Promise<import('node:dgram').Socket>} */
async function boundSocket() {
  const socket = createSocket({
    type: 'udp4',
    recvBufferSize: SOCKET_BUFFER_BYTES,
    sendBufferSize: SOCKET_BUFFER_BYTES,
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  // Whoever plays through the relay says when it is over.
  socket.unref();
  return socket;
}

/**
 * A UDP relay on loopback, packet by packet over a link in each direction.
 * @param {{ serverPort: number, down: Offer, up: Offer }} settings
 * @returns {Promise<{ port: number, close(): void }>}
 */
export async function startUdpRelay({ serverPort, down, up }) {
  const front = await boundSocket();
  let isClosed = false;
  /** One socket towards the server for each client address, so that answers find their way back.
   *  @type {Map<string, Promise<import('node:dgram').Socket>>} */
  const upstreams = new Map();

  /** @param {import('node:dgram').RemoteInfo} client */
  async function openUpstream({ port, address }) {
    const socket = await boundSocket();
    socket.on('message', (packet) =>
      down(packet.length + HEADER_BYTES, () => isClosed || front.send(packet, port, address)),
    );
    return socket;
  }

  front.on('message', (packet, client) => {
    const key = `${client.address}:${client.port}`;
    const upstream = upstreams.get(key) ?? openUpstream(client);
    upstreams.set(key, upstream);
    void upstream.then((socket) =>
      up(packet.length + HEADER_BYTES, () => isClosed || socket.send(packet, serverPort, '127.0.0.1')),
    );
  });

  return {
    port: front.address().port,
    close() {
      isClosed = true;
      front.close();
      for (const upstream of upstreams.values()) void upstream.then((socket) => socket.close());
    },
  };
}
