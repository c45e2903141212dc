import assert from 'node:assert/strict';
import { ManifestError } from '../../../../src/manifest/errors.js';
import { LiveRecordReader, type LiveRecord } from '../../../../src/manifest/live-records.js';
import { checkMap } from '../support/check-map.js';
import { allow } from '../support/errors.js';
import { target } from '../support/target.js';

/** A file of live records, cut into pieces of as many bytes as the first one says, holds what it holds as a whole. */
export const fuzz = target(([piece = 0, ...rest]) => {
  const bytes = Uint8Array.from(rest);
  const whole = read(bytes, bytes.length);
  assert.deepEqual(read(bytes, piece), whole);
  let place = 0;
  for (const record of whole ?? []) {
    if (record.type === 'end') assert.equal(record.bytes, place);
    if (record.type !== 'chunk') continue;
    const { range } = record.chunk;
    assert.equal(range.start, place);
    assert.ok(range.end > range.start);
    place = range.end;
    checkMap(record.chunk, bytes.length);
  }
});

/** Undefined where the file is refused. */
function read(bytes: Uint8Array, size: number): LiveRecord[] | undefined {
  const reader = new LiveRecordReader();
  return allow([ManifestError], () => {
    const records: LiveRecord[] = [];
    for (let at = 0; at < bytes.length; at += Math.max(size, 1)) {
      for (const record of reader.push(bytes.subarray(at, at + Math.max(size, 1)))) {
        records.push(record.type === 'other' ? { ...record, content: record.content.slice() } : record);
      }
    }
    return records;
  });
}
