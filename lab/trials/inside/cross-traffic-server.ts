import { createServer, type Server, type Socket } from 'node:net';
import { PORTS, SERVER_ADDRESS } from '../addresses.js';

/** Sent again and again. */
const CHUNK = Buffer.alloc(64 * 1024);

/** A TCP server that answers a line with so many bytes: `1000`, or `Infinity` for a download without an end. */
export function serveCrossTraffic(host = SERVER_ADDRESS, port = PORTS.crossTraffic): Server {
  return createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (line) => send(socket, Number(line.toString())));
  }).listen(port, host);
}

function send(socket: Socket, bytes: number): void {
  let left = bytes;
  const pump = () => {
    while (left > 0) {
      const chunk = left >= CHUNK.length ? CHUNK : CHUNK.subarray(0, left);
      left -= chunk.length;
      if (!socket.write(chunk)) return;
    }
    socket.end();
  };
  socket.on('drain', pump);
  pump();
}
