import assert from 'node:assert/strict';
import { decodeDatagram } from '../../../../src/voxel-loader/worker/datagram.js';
import { encodeVarint } from '../../../../src/manifest/varint.js';
import { target } from '../support/target.js';

/** A datagram: its payload is the rest, and written again in the shortest form it says the same. */
export const fuzz = target((bytes) => {
  const datagram = decodeDatagram(bytes);
  if (!datagram) return;
  const { flow, offset, payload } = datagram;
  assert.ok(payload.length <= bytes.length - 2);
  const shortest = Uint8Array.from([...encodeVarint(flow), ...encodeVarint(offset), ...payload]);
  assert.ok(shortest.length <= bytes.length);
  assert.deepEqual(decodeDatagram(shortest), datagram);
});
