// @ts-check
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Of an Ethernet packet, what TCP carries, and its headers: a link's rate is that of IP packets. */
const PAYLOAD_BYTES = 1448;
const HEADER_BYTES = 52;

/** @typedef {(bytes: number, deliver: () => void) => void} Offer hands so many bytes to a link, which calls `deliver` at its end */

/** One connection's bytes that are still to be handed to the link. */
class Stream {
  /** @type {Buffer[]} */
  #pending = [];
  #hasEnded = false;
  #isOver = false;

  /** @param {import('node:net').Socket} upstream @param {import('node:net').Socket} client */
  constructor(upstream, client) {
    this.upstream = upstream;
    this.client = client;
  }

  get hasMore() {
    return this.#pending.length > 0 || (this.#hasEnded && !this.#isOver);
  }

  /** @param {Buffer} data */
  add(data) {
    this.#pending.push(data);
    // One read at a time: the sender is held while it waits here.
    this.upstream.pause();
  }

  end() {
    this.#hasEnded = true;
  }

  /** @param {Offer} offer */
  feed(offer) {
    const [first] = this.#pending;
    if (!first) {
      this.#isOver = true;
      offer(HEADER_BYTES, () => this.client.end());
      return;
    }
    const piece = first.subarray(0, PAYLOAD_BYTES);
    if (piece.length < first.length) this.#pending[0] = first.subarray(PAYLOAD_BYTES);
    else this.#pending.shift();
    if (this.#pending.length === 0) this.upstream.resume();
    offer(piece.length + HEADER_BYTES, () => this.client.destroyed || this.client.write(piece));
  }
}

/**
 * A TCP relay on loopback: what the server sends waits until the link takes it, so that the sender is held, and loses nothing. All
 * connections share the link in turns, as long as it `hasRoom`.
 * @param {{ serverPort: number, down: Offer, up: Offer, hasRoom: () => boolean }} settings
 * @returns {Promise<{ port: number, feed(): void, close(): void }>} `feed`: the link may have room again
 */
export async function startTcpRelay({ serverPort, down, up, hasRoom }) {
  /** In turns. @type {Set<Stream>} */
  const streams = new Set();

  function feed() {
    for (let isIdle = false; !isIdle && hasRoom();) {
      isIdle = true;
      for (const stream of streams) {
        if (!stream.hasMore || !hasRoom()) continue;
        stream.feed(down);
        isIdle = false;
        // Behind all others.
        streams.delete(stream);
        streams.add(stream);
        break;
      }
    }
  }

  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: serverPort, host: '127.0.0.1', noDelay: true });
    const stream = new Stream(upstream, client);
    streams.add(stream);
    const drop = () => {
      streams.delete(stream);
      upstream.destroy();
      client.destroy();
    };
    upstream.on('data', (data) => {
      stream.add(data);
      feed();
    });
    upstream.on('end', () => {
      stream.end();
      feed();
    });
    client.on('data', (data) => up(data.length + HEADER_BYTES, () => upstream.destroyed || upstream.write(data)));
    // Behind the request, which is still on its way: a client may end its half and wait for the answer.
    client.on('end', () => up(HEADER_BYTES, () => upstream.end()));
    // A browser that gives a request up resets its connection; a server that stops resets all.
    client.on('error', drop);
    client.on('close', drop);
    upstream.on('error', drop);
  });
  server.unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    feed,
    close() {
      server.close();
      for (const { client } of streams) client.destroy();
    },
  };
}
