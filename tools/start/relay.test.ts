import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../link/random.mjs';
import { startRelay } from './relay.mjs';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function udpSocket(): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  cleanups.push(() => socket.close());
  return socket;
}

/** Which of 200 numbered packets a server's answers bring back through the relay. */
async function survivors(settings: { lossPercent: number; seed: number }): Promise<number[]> {
  const server = await udpSocket();
  server.on('message', (packet, client) => {
    for (let number = 0; number < 200; number++) server.send(Buffer.from([number]), client.port, client.address);
    server.send(packet, client.port, client.address);
  });
  const relay = await startRelay(settings);
  cleanups.push(() => relay.close());
  relay.connect(server.address().port);
  const client = await udpSocket();
  const received: number[] = [];
  client.on('message', (packet) => received.push(packet[0]!));
  client.send('hello', relay.port, '127.0.0.1');
  await new Promise((resolve) => setTimeout(resolve, 200));
  return received;
}

describe('the lossy relay', () => {
  it('passes everything in order at 0 % and nothing at 100 %', async () => {
    const all = await survivors({ lossPercent: 0, seed: 1 });
    expect(all.slice(0, 200)).toEqual(Array.from({ length: 200 }, (_, number) => number));
    expect(await survivors({ lossPercent: 100, seed: 1 })).toEqual([]);
  });

  it('drops the same packets for the same seed, others for another', async () => {
    const first = await survivors({ lossPercent: 20, seed: 7 });
    expect(await survivors({ lossPercent: 20, seed: 7 })).toEqual(first);
    expect(await survivors({ lossPercent: 20, seed: 8 })).not.toEqual(first);
  });

  it('draws uniformly from [0, 1): 10,000 draws at 20 % stay within four standard deviations', () => {
    const random = seededRandom(42);
    const dropped = Array.from({ length: 10_000 }, () => random() < 0.2).filter(Boolean).length;
    expect(Math.abs(dropped - 2000)).toBeLessThan(4 * Math.sqrt(10_000 * 0.2 * 0.8));
  });
});
