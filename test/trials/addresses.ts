/** The server's end of the link, as linkemu names it. */
export const SERVER_ADDRESS = '10.77.0.1';

/** Each trial has networks of its own, so ports are never taken. */
export const PORTS = { http1: 8080, quic: 4433, crossTraffic: 5001 };
