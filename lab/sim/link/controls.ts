import { Bbr } from './bbr.js';
import type { CongestionControl } from './congestion-control.js';
import { Cubic } from './cubic.js';

/** Makes the control of a sender. `isPaced`: it paces as both servers do. */
type Create = (packetBytes: number, isPaced: boolean | undefined) => CongestionControl;

/** Every congestion control by its name in `--control`, the default first. */
export const CONTROLS = {
  cubic: (packetBytes, isPaced) => new Cubic(packetBytes, isPaced),
  bbr: (packetBytes) => new Bbr(packetBytes),
} as const satisfies Readonly<Record<string, Create>>;

export type ControlName = keyof typeof CONTROLS;

export const controlNames = Object.keys(CONTROLS) as readonly ControlName[];
