import assert from 'node:assert/strict';
import { commonEncryption } from '../../../../src/repair/encryption.js';
import { RepairError } from '../../../../src/repair/errors.js';
import { parseFragments, parseSampleEntries } from '../../../../src/repair/fmp4.js';
import { allow } from '../support/errors.js';
import { target } from '../support/target.js';

/** Boxes, as an initialization segment and as a media segment: what they name lies inside them, in order. */
export const fuzz = target((bytes) => {
  for (const entry of allow([RepairError], () => parseSampleEntries(bytes, commonEncryption))?.entries ?? []) {
    assert.equal(entry.type.length, 4);
    const configuration = allow([RepairError], () => entry.configuration('avcC'));
    assert.ok(!configuration || configuration.length < bytes.length);
  }
  const fragments = allow([RepairError], () => parseFragments(bytes)) ?? [];
  const samples = fragments.flatMap((fragment) => fragment.samples);
  assert.ok(samples.length <= bytes.length);
  let at = 0;
  for (const { start, moofStart, mdatStart, mdatPayload, end, samples, dataOffsets } of fragments) {
    assert.ok(
      at === start && start <= moofStart && moofStart < mdatStart && mdatStart < mdatPayload && mdatPayload <= end,
    );
    let position = mdatPayload;
    for (const { offset, size, sizeField } of samples) {
      assert.ok(offset >= position && offset + size <= end);
      if (sizeField !== undefined) assert.equal(new DataView(bytes.buffer).getUint32(sizeField), size);
      position = offset + size;
    }
    assert.ok(dataOffsets.every(({ field }) => field > moofStart && field < mdatStart));
    at = end;
  }
  assert.ok(at <= bytes.length);
});
