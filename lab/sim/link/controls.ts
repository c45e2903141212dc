import { Bbr } from './bbr.js';
import type { CongestionControl } from './congestion-control.js';
import { Cubic } from './cubic.js';

/** The servers whose manners were measured; each paces. */
export const SERVERS = ['aioquic', 'quiche'] as const;

export type ServerName = (typeof SERVERS)[number];

/** Makes the control of a sender, with the manners of a server; undefined: a plain one's. */
type Create = (packetBytes: number, server: ServerName | undefined) => CongestionControl;

/** Every congestion control by its name in `--control`, the default first. */
export const CONTROLS = {
  cubic: (packetBytes, server) =>
    new Cubic(packetBytes, { isPaced: server !== undefined, forgives: server === 'quiche' }),
  bbr: (packetBytes) => new Bbr(packetBytes),
} as const satisfies Readonly<Record<string, Create>>;

export type ControlName = keyof typeof CONTROLS;

export const controlNames = Object.keys(CONTROLS) as readonly ControlName[];
