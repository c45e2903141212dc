import assert from 'node:assert/strict';
import type { ByteRange } from '../../../../src/manifest/byte-range.js';
import { ManifestError } from '../../../../src/manifest/errors.js';
import { parseSegment } from '../../../../src/manifest/segment-attributes.js';
import { checkMap } from '../support/check-map.js';
import { allow } from '../support/errors.js';
import { target } from '../support/target.js';

/** The attributes of a `SegmentURL`, a line each: what they say is a segment, and written again they say the same. */
export const fuzz = target((bytes) => {
  const lines = new TextDecoder().decode(bytes).split('\n');
  const [mediaRange = '', reliable = '', unreliable = '', reliableSize = '', scores = ''] = lines;
  const map = allow([ManifestError], () => parseSegment({ mediaRange, reliable, unreliable, reliableSize, scores }));
  if (!map) return;
  // A range has three characters and a comma.
  checkMap(map, bytes.length / 3);
  const again = parseSegment({
    mediaRange: format([map.range]),
    reliable: format(map.reliable),
    unreliable: format(map.unreliable),
    reliableSize: String(map.reliableBytes),
    scores: map.steps.map(({ score, frames, bytes }) => `${toDecimal(score)}:${frames}:${bytes}`).join(','),
  });
  assert.deepEqual(again, map);
});

function format(ranges: readonly ByteRange[]): string {
  return ranges.map(({ start, end }) => `${start}-${end - 1}`).join(',');
}

/** Without an exponent. */
function toDecimal(score: number): string {
  const text = Object.is(score, -0) ? '-0' : String(score);
  if (!text.includes('e')) return text;
  return Math.abs(score) < 1 ? score.toFixed(100).replace(/0+$/, '') : BigInt(score).toString();
}
