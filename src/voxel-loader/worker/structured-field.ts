import type { Parity } from '../../coding/symbols.js';

/**
 * The few structured fields (RFC 9651) of the protocol: an item, then parameters. Parameters that are not known are
 * ignored, as the RFC wants.
 */

/** The non-negative integer that `12974;datagrams=11` starts with; undefined for anything else. */
export function parseInteger(field: string | undefined): number | undefined {
  const value = field?.split(';', 1)[0]!.trim();
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/** The flow of an `x-voxel-unreliable` field that says yes, `?1;flow=17`; undefined for anything else. */
export function parseUnreliable(field: string | undefined): number | undefined {
  return field?.split(';', 1)[0]!.trim() === '?1' ? parseParameter(field, 'flow') : undefined;
}

/** A parameter that is a non-negative integer; undefined for anything else. */
export function parseParameter(field: string | undefined, name: string): number | undefined {
  const parameters = field
    ?.split(';')
    .slice(1)
    .map((part) => part.trim());
  return parseInteger(parameters?.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1));
}

/** The `x-voxel-parity` field. A server that honours it repeats it, exactly so. */
export function formatParity({ amounts, block, symbol, always }: Parity): string {
  return `(${amounts.join(' ')});block=${block}${symbol === undefined ? '' : `;symbol=${symbol}`}${always ? ';always' : ''}`;
}
