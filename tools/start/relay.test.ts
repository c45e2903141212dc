import { createSocket, type Socket } from 'node:dgram';
import { on, once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../link/random.mjs';
import { lossyPaths, startRelay, type Losses } from './relay.mjs';

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

const numbers = Array.from({ length: 200 }, (_, number) => number);

/** Which of 200 numbered packets to a client are not dropped. */
function survivors(losses: Losses): number[] {
  const { down } = lossyPaths(losses)();
  const sent: number[] = [];
  for (const number of numbers) down(Buffer.from([number]), (packet) => sent.push(packet[0]!));
  return sent;
}

describe('the lossy relay', () => {
  it('brings packets to the server and its answers back, in order', async () => {
    const server = await udpSocket();
    server.on('message', (packet, client) => {
      for (const number of numbers) server.send(Buffer.from([...packet, number]), client.port, client.address);
    });
    const relay = await startRelay({ lossPercent: 0, seed: 1 });
    cleanups.push(() => relay.close());
    relay.connect(server.address().port);
    const client = await udpSocket();
    client.send(Buffer.from([7]), relay.port, '127.0.0.1');
    const received: number[][] = [];
    for await (const [packet] of on(client, 'message') as AsyncIterable<[Buffer]>) {
      received.push([...packet]);
      if (received.length === numbers.length) break;
    }
    expect(received).toEqual(numbers.map((number) => [7, number]));
  });

  it('passes everything at 0 % and nothing at 100 % but the first packets that are spared', () => {
    expect(survivors({ lossPercent: 0, seed: 1 })).toEqual(numbers);
    expect(survivors({ lossPercent: 100, seed: 1 })).toEqual([]);
    expect(survivors({ lossPercent: 100, seed: 1, spared: 3 })).toEqual([0, 1, 2]);
  });

  it('drops the same packets for the same seed, others for another', () => {
    const first = survivors({ lossPercent: 20, seed: 7 });
    expect(survivors({ lossPercent: 20, seed: 7 })).toEqual(first);
    expect(survivors({ lossPercent: 20, seed: 8 })).not.toEqual(first);
  });

  it('draws uniformly from [0, 1): 10,000 draws at 20 % stay within four standard deviations', () => {
    const random = seededRandom(42);
    const dropped = Array.from({ length: 10_000 }, () => random() < 0.2).filter(Boolean).length;
    expect(Math.abs(dropped - 2000)).toBeLessThan(4 * Math.sqrt(10_000 * 0.2 * 0.8));
  });
});
