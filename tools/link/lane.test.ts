import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startLane } from './lane.mjs';

const FAST = { trace: { step: 1, rates: [80e6] }, delayMs: 1, queuePackets: 8 };

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

async function laneBefore(ports: { httpPort?: number; quicPort?: number }, settings: object = {}) {
  const lane = await startLane({ ...FAST, ...settings }, { httpPort: 1, quicPort: 1, seed: 1, ...ports });
  closers.push(() => lane.close());
  return lane;
}

/** Answers every connection with so many bytes, then ends. */
async function byteServer(bytes: number) {
  let sent = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      socket.end(Buffer.alloc(bytes, 7), () => (sent = bytes));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, sent: () => sent };
}

async function bytesOf(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on('data', (data) => (bytes += data.length));
  await once(socket, 'end');
  return bytes;
}

async function download(port: number): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.write('go');
  const bytes = await bytesOf(socket);
  socket.destroy();
  return bytes;
}

describe('a lane', () => {
  it('hands on every byte of TCP connections, however small its queue and whatever it loses', async () => {
    const server = await byteServer(300_000);
    const lane = await laneBefore({ httpPort: server.port }, { loss: { percent: 50 } });
    expect(await Promise.all([download(lane.tcpPort), download(lane.tcpPort)])).toEqual([300_000, 300_000]);
    expect(lane.counts().sentBytes).toBeGreaterThan(600_000);
  });

  it('hands a request on whose client has ended its half, and the answer back', async () => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      void bytesOf(socket).then((bytes) => socket.end(Buffer.alloc(2 * bytes)));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => server.close());
    const lane = await laneBefore({ httpPort: (server.address() as AddressInfo).port }, { delayMs: 50 });
    const client = connect({ port: lane.tcpPort, host: '127.0.0.1', allowHalfOpen: true });
    client.end(Buffer.alloc(100_000));
    expect(await bytesOf(client)).toBe(200_000);
    client.destroy();
  });

  it('hands on packets in both directions, and counts those it loses', async () => {
    const server = createSocket('udp4');
    closers.push(() => server.close());
    server.on('message', (packet, { port, address }) => {
      for (let copy = 0; copy < 4; copy++) server.send(packet, port, address);
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    const lane = await laneBefore({ quicPort: server.address().port }, { loss: { percent: 50 } });
    const client = createSocket('udp4');
    closers.push(() => client.close());
    let came = 0;
    client.on('message', () => came++);
    const sent = 20;
    for (let packet = 0; packet < sent; packet++) {
      client.send('hello', lane.udpPort, '127.0.0.1');
      await once(client, 'message', { signal: AbortSignal.timeout(50) }).catch(() => undefined);
    }
    const { lost, dropped } = lane.counts();
    expect(lost).toBeGreaterThan(0);
    expect(came).toBeGreaterThan(0);
    expect(came + lost + dropped).toBeLessThanOrEqual(4 * sent);
  });

  it('holds a sender back while nothing gets through', async () => {
    const server = await byteServer(50_000_000);
    const lane = await laneBefore({ httpPort: server.port }, { trace: { step: 1, rates: [8000] } });
    const socket = connect(lane.tcpPort, '127.0.0.1');
    closers.push(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.write('go');
    await once(socket, 'data');
    expect(server.sent()).toBe(0);
  });
});
