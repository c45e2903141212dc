import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it } from 'vitest';
import { OtherTraffic } from './cross-traffic-client.js';
import { serveCrossTraffic } from './cross-traffic-server.js';

it('downloads in bulk when the playback has begun, for its time, and counts what comes', async () => {
  const server = serveCrossTraffic('127.0.0.1', 0);
  await once(server, 'listening');
  const closed: Promise<unknown>[] = [];
  server.on('connection', (socket: Socket) => closed.push(new Promise((resolve) => socket.once('close', resolve))));
  const source = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const times = [0, 0.05].map((start) => ({ flows: 1, start, stop: 3 }));
  const traffic = new OtherTraffic({ timedFlows: times }, 1, source);
  expect(traffic.bulkRates()).toEqual([]);
  traffic.playbackBegins();
  await once(server, 'connection');
  await once(server, 'connection');
  await Promise.all(closed);
  expect(closed).toHaveLength(2);
  for (const rate of traffic.bulkRates()) expect(rate).toBeGreaterThan(0);
  server.close();
});
