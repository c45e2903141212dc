import assert from 'node:assert/strict';
import { ManifestError } from '../../../../src/manifest/errors.js';
import { IndexFile } from '../../../../src/manifest/index-file.js';
import type { SegmentMap } from '../../../../src/manifest/segment-map.js';
import { checkMap } from '../support/check-map.js';
import { allow } from '../support/errors.js';
import { target } from '../support/target.js';

/** A fetch has at most so many bytes of an answer in these tests: entries come in several. */
const ANSWER_BYTES = 600;
const SEGMENTS_FETCHED = 4;

/**
 * An index file: fetched piece by piece from a server that sends less than is asked for, it says what it says when it comes
 * at once; it never asks for nothing or for ever.
 */
export const fuzz = target((bytes) => {
  const whole = new IndexFile('ssim');
  const isIndex = allow([ManifestError], () => (whole.add({ start: 0, end: bytes.length }, bytes), true));
  const pieces = fetchPieces(bytes);
  if (!isIndex || whole.segmentCount === 0) return;
  assert.ok(whole.segmentCount <= 64 * bytes.length + 4096);
  for (let index = 0; index < Math.min(whole.segmentCount, 64); index++) {
    if (!whole.has(index)) continue;
    const map = allow([ManifestError], () => whole.segment(index));
    if (map) checkMap(map, 128 * bytes.length + 1);
    if (pieces?.has(index)) assert.deepEqual(segment(pieces, index), map);
  }
});

/** As the player does: what is missing, until nothing is. Undefined where the file is refused. */
function fetchPieces(bytes: Uint8Array): IndexFile | undefined {
  const index = new IndexFile('ssim');
  for (let requests = 0; ; requests++) {
    assert.ok(requests <= 2 + bytes.length);
    const range = index.missing(0, SEGMENTS_FETCHED * (requests + 1));
    if (!range) return index;
    assert.ok(range.end > range.start);
    const answer = bytes.subarray(range.start, Math.min(range.end, range.start + ANSWER_BYTES));
    if (!allow([ManifestError], () => (index.add(range, answer), true))) return undefined;
    if (range.start >= bytes.length) return index;
  }
}

function segment(index: IndexFile, number: number): SegmentMap | undefined {
  return allow([ManifestError], () => index.segment(number));
}
