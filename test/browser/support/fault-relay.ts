import { startUdpRelay } from '../../../tools/link/udp-relay.mjs';

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
  /**
   * Not while sessions of other tests go on in the same browser: a port that refuses the packets of a session may end Chromium's network
   * process, and with it all sessions.
   */
  close(): void;
}

/** A UDP relay on loopback whose faults a test changes while it runs. */
export async function startFaultRelay(serverPort: number): Promise<FaultRelay> {
  const pass: Fault = (packet, send) => relay.fault(packet, send);
  const { port, close } = await startUdpRelay({
    serverPort: () => relay.serverPort,
    path: () => ({ down: pass, up: pass }),
  });
  const relay: FaultRelay = { port, fault: noFault, serverPort, close };
  return relay;
}
