import { UserError } from '../../tools/setup/process.mjs';

export const SERVERS = ['aioquic', 'quiche'] as const;
export const CONTROLS = ['cubic', 'bbr2', 'delay'] as const;

/** `voxel-serve` or `voxel-quiche`. */
export type ServerName = (typeof SERVERS)[number];

/** Congestion control of all that travels. */
export type ControlName = (typeof CONTROLS)[number];

/**
 * The servers' options for it. aioquic has no BBR. `delay`: of live streams by VOXEL, CUBIC of all else; the others are for all, live streams
 * as well.
 */
const OPTIONS: Readonly<Record<ServerName, Partial<Readonly<Record<ControlName, readonly string[]>>>>> = {
  aioquic: { cubic: ['--congestion-control', 'cubic'] },
  quiche: {
    cubic: ['--congestion-control', 'cubic', '--live-control', 'ordinary'],
    bbr2: ['--congestion-control', 'bbr'],
    delay: ['--congestion-control', 'cubic', '--live-control', 'delay'],
  },
};

/** Linux' names. It has the first BBR only. */
export const TCP_CONTROLS: Readonly<Record<ControlName, string>> = { cubic: 'cubic', bbr2: 'bbr', delay: 'cubic' };

/** Throws a `UserError` that says which controls a server has. */
export function congestionControlOptions(server: ServerName, control: ControlName): readonly string[] {
  const options = OPTIONS[server][control];
  if (options) return options;
  throw new UserError(
    `controls: the server ${server} has only ${Object.keys(OPTIONS[server]).join(', ')}, got '${control}'`,
  );
}
