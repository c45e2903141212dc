import { Encoder } from '../../src/coding/cauchy.js';
import { blocksOf, type Parity } from '../../src/coding/symbols.js';

/** What a datagram carries, in a flow with parity. */
export interface FlowDatagram {
  readonly offset: number;
  readonly payload: Uint8Array;
  readonly isParity: boolean;
  /** Number of its block. */
  readonly block: number;
}

/** The datagrams of a body with its parity, one symbol each, in the order in which a server sends them. */
export function datagramsOf(body: Uint8Array, rangeLengths: readonly number[], parity: Parity): FlowDatagram[] {
  return blocksOf(rangeLengths, parity).flatMap((block, number) => {
    const data = body.subarray(block.start, block.end);
    const encoder = new Encoder(block.parity, block.symbolBytes);
    const symbols: FlowDatagram[] = [];
    for (let at = 0; at < data.length; at += block.symbolBytes) {
      const payload = data.subarray(at, at + block.symbolBytes);
      encoder.add(at / block.symbolBytes, payload);
      symbols.push({ offset: block.start + at, payload, isParity: false, block: number });
    }
    const parities = encoder.parity.map((payload, index) => ({
      offset: block.parityStart + index * block.symbolBytes,
      payload,
      isParity: true,
      block: number,
    }));
    return [...symbols, ...parities];
  });
}
