/** A decoded integer and how many bytes it took. */
export interface Varint {
  readonly value: number;
  readonly length: number;
}

/**
 * Decodes the QUIC variable-length integer (RFC 9000 §16) at `at`. Undefined when the bytes end inside it, or when it is
 * larger than a `number` holds exactly. Takes longer forms than needed, as QUIC does.
 */
export function decodeVarint(bytes: Uint8Array, at: number): Varint | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  const length = 1 << (first >>> 6);
  if (at + length > bytes.length) return undefined;
  let value = first & 0x3f;
  for (let index = at + 1; index < at + length; index++) value = value * 256 + bytes[index]!;
  return Number.isSafeInteger(value) ? { value, length } : undefined;
}

/** Encodes in the shortest form. Throws `RangeError` unless `value` is a safe, non-negative integer. */
export function encodeVarint(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`no varint: ${value}`);
  const exponent = value < 2 ** 6 ? 0 : value < 2 ** 14 ? 1 : value < 2 ** 30 ? 2 : 3;
  const bytes = new Uint8Array(1 << exponent);
  let rest = value;
  for (let index = bytes.length - 1; index >= 0; index--) {
    bytes[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[0]! |= exponent << 6;
  return bytes;
}
