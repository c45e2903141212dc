import type { SystemDelivery } from './system.js';

/** Paths that linkemu has at most. */
export const MOST_PATHS = 8;

/** The server's end of a path, as linkemu names it. */
export const serverAddress = (path: number) => `10.77.${path}.1`;

/** That of the only path, or the first. */
export const SERVER_ADDRESS = serverAddress(0);

/** Each trial has networks of its own, so ports are never taken. */
export const PORTS = { http1: 8080, quic: 4433, crossTraffic: 5001 };

/** The origin of the page and the media on a path, the first if none is named: over QUIC for all but HTTP/1.1. */
export function pageOrigin(delivery: SystemDelivery, path = 0): string {
  const isPlain = delivery === 'http1';
  return `http${isPlain ? '' : 's'}://${serverAddress(path)}:${isPlain ? PORTS.http1 : PORTS.quic}`;
}

/** URL of the sessions on a path. */
export const endpointUrl = (path: number) => `${pageOrigin('datagrams', path)}/voxel`;
