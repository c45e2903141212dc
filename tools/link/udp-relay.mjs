// @ts-check
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const SOCKET_BUFFER_BYTES = 4 << 20;

/**
 * @typedef {(packet: Buffer, send: (packet: Buffer) => void) => void} Pass what becomes of a packet: what is sent goes on in its
 *   place, now or later
 * @typedef {{ down: Pass, up: Pass }} Path of one client: from the server, and towards it
 */

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
 * A UDP relay on loopback.
 * @param {{ serverPort: () => number | undefined, path: () => Path }} settings `serverPort`: while there is none, packets are dropped; `path`
 *   is made for each client
 * @returns {Promise<{ port: number, close: () => void }>}
 */
export async function startUdpRelay({ serverPort, path }) {
  const front = await boundSocket();
  let isClosed = false;
  /** One socket towards the server for each client address, so that answers find their way back.
   *  @type {Map<string, Promise<{ socket: import('node:dgram').Socket, up: Pass }>>} */
  const upstreams = new Map();

  /** @param {import('node:dgram').RemoteInfo} client */
  async function openUpstream({ port, address }) {
    const { down, up } = path();
    const socket = await boundSocket();
    /** @param {Buffer} sent */
    const send = (sent) => isClosed || front.send(sent, port, address);
    socket.on('message', (packet) => down(packet, send));
    return { socket, up };
  }

  front.on('message', (packet, client) => {
    const port = serverPort();
    if (port === undefined) return;
    const key = `${client.address}:${client.port}`;
    const upstream = upstreams.get(key) ?? openUpstream(client);
    upstreams.set(key, upstream);
    void upstream.then(({ socket, up }) => up(packet, (sent) => isClosed || socket.send(sent, port, '127.0.0.1')));
  });

  return {
    port: front.address().port,
    close() {
      isClosed = true;
      front.close();
      for (const upstream of upstreams.values()) void upstream.then(({ socket }) => socket.close());
    },
  };
}
