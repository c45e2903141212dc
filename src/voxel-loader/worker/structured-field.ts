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
  const [value, ...parameters] = field?.split(';').map((part) => part.trim()) ?? [];
  if (value !== '?1') return undefined;
  return parseInteger(parameters.find((parameter) => parameter.startsWith('flow='))?.slice('flow='.length));
}
