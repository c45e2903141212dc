import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** What becomes of a packet: the packets that go on in its place, now or later. */
export type Fault = (packet: Buffer, send: (packet: Buffer) => unknown) => void;

/** The packets go on as they are. */
export const noFault: Fault = (packet, send) => send(packet);
/** As behind a firewall that swallows UDP. */
export const blackHole: Fault = () => {};
export const duplicate: Fault = (packet, send) => {
  send(packet);
  send(packet);
};
/** Every packet is late by 0 to 30 ms. */
export const reorder: Fault = (packet, send) => void setTimeout(() => send(packet), Math.random() * 30);
/** Every tenth packet loses its end, and random bytes follow every tenth. */
export const damage: Fault = (packet, send) => {
  const dice = Math.random();
  send(dice < 0.1 ? packet.subarray(0, packet.length / 2) : packet);
  if (dice > 0.9) send(Buffer.from(Array.from({ length: 400 }, () => Math.floor(Math.random() * 256))));
};

export interface FaultRelay {
  readonly port: number;
  /** What happens to packets in both directions from now on. */
  fault: Fault;
  serverPort: number;
  close(): void;
}

/** A UDP relay on loopback whose faults a test changes while it runs. */
export async function startFaultRelay(serverPort: number): Promise<FaultRelay> {
  const front = await boundSocket();
  const upstreams = new Map<string, Promise<Socket>>();
  let isClosed = false;
  const relay: FaultRelay = {
    ...{ port: front.address().port, fault: noFault, serverPort },
    close() {
      isClosed = true;
      front.close();
      for (const upstream of upstreams.values()) void upstream.then((socket) => socket.close());
    },
  };
  const openUpstream = async (client: RemoteInfo): Promise<Socket> => {
    const socket = await boundSocket();
    socket.on('message', (packet) =>
      relay.fault(packet, (sent) => isClosed || front.send(sent, client.port, client.address)),
    );
    return socket;
  };
  front.on('message', (packet, client) => {
    const key = `${client.address}:${client.port}`;
    const upstream = upstreams.get(key) ?? openUpstream(client);
    upstreams.set(key, upstream);
    void upstream.then((socket) =>
      relay.fault(packet, (sent) => isClosed || socket.send(sent, relay.serverPort, '127.0.0.1')),
    );
  });
  return relay;
}

async function boundSocket(): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20, sendBufferSize: 4 << 20 });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}
