import assert from 'node:assert/strict';
import { createEndpoint, parseDiscovery } from '../../../../src/voxel-loader/discovery.js';
import { VoxelError } from '../../../../src/voxel-loader/errors.js';
import { allow } from '../support/errors.js';
import { target } from '../support/target.js';

/** The content of `voxel.json`: an https URL without a fragment and hashes of 32 bytes, which written again say the same. */
export const fuzz = target((bytes) => {
  const answer = allow([SyntaxError], () => JSON.parse(new TextDecoder().decode(bytes)) as unknown);
  const endpoint = allow([VoxelError], () => parseDiscovery(answer));
  if (!endpoint) return;
  const { url, certificateHashes } = endpoint;
  assert.equal(new URL(url).protocol, 'https:');
  assert.ok(!url.includes('#'));
  assert.ok(certificateHashes.every(({ length }) => length === 32));
  assert.ok(32 * certificateHashes.length <= bytes.length);
  const hashes = certificateHashes.map((hash) => Buffer.from(hash).toString('base64'));
  assert.deepEqual(createEndpoint(url, hashes), endpoint);
});
