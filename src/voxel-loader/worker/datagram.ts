import { decodeVarint } from '../../manifest/varint.js';

/** One piece of a response body: `varint flow | varint offset | payload`. */
export interface Datagram {
  /** Which request it answers. */
  readonly flow: number;
  /** Place of the payload's first byte in the concatenation of that request's ranges. */
  readonly offset: number;
  /** A view into the datagram, not a copy. */
  readonly payload: Uint8Array;
}

/** Decodes a datagram; undefined for one that makes no sense, which is to be ignored. */
export function decodeDatagram(bytes: Uint8Array): Datagram | undefined {
  const flow = decodeVarint(bytes, 0);
  if (!flow) return undefined;
  const offset = decodeVarint(bytes, flow.length);
  if (!offset) return undefined;
  return { flow: flow.value, offset: offset.value, payload: bytes.subarray(flow.length + offset.length) };
}
