import { UserError } from '../../tools/setup/process.mjs';

export const SERVERS = ['aioquic', 'quiche'] as const;
export const CONTROLS = ['cubic', 'bbr2'] as const;

/** `voxel-serve` or `voxel-quiche`. */
export type ServerName = (typeof SERVERS)[number];

/** Congestion control of all that travels. */
export type ControlName = (typeof CONTROLS)[number];

/** What the servers' `--congestion-control` takes for it. aioquic has no BBR. */
const OPTIONS: Readonly<Record<ServerName, Partial<Readonly<Record<ControlName, string>>>>> = {
  aioquic: { cubic: 'cubic' },
  quiche: { cubic: 'cubic', bbr2: 'bbr' },
};

/** Linux' names. It has the first BBR only. */
export const TCP_CONTROLS: Readonly<Record<ControlName, string>> = { cubic: 'cubic', bbr2: 'bbr' };

/** Throws a `UserError` that says which controls a server has. */
export function congestionControlOption(server: ServerName, control: ControlName): string {
  const option = OPTIONS[server][control];
  if (option !== undefined) return option;
  throw new UserError(
    `controls: the server ${server} has only ${Object.keys(OPTIONS[server]).join(', ')}, got '${control}'`,
  );
}
