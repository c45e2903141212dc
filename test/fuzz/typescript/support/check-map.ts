import assert from 'node:assert/strict';
import { totalBytes } from '../../../../src/manifest/byte-range.js';
import { estimateScore, scoreGains } from '../../../../src/manifest/score-estimate.js';
import type { SegmentMap } from '../../../../src/manifest/segment-map.js';

/** Asserts what is documented at `SegmentMap`, and that no more was made than the input's size allows. */
export function checkMap(map: SegmentMap, mostRanges: number): void {
  const { range, reliable, unreliable, steps, lossCosts, needs, reach } = map;
  assert.ok(reliable.length + unreliable.length <= mostRanges, `${reliable.length + unreliable.length} ranges`);
  assert.ok(steps.length <= unreliable.length + 1);
  assert.equal(totalBytes(reliable), map.reliableBytes);
  let at = range.start;
  for (const { start, end } of [...reliable, ...unreliable].sort((a, b) => a.start - b.start)) {
    assert.equal(start, at);
    assert.ok(end > start && Number.isSafeInteger(end));
    at = end;
  }
  assert.equal(at, range.end);
  steps.forEach(({ frames, bytes, score }, index) => {
    assert.ok(Number.isFinite(score));
    const previous = steps[index - 1];
    assert.ok(!previous || (frames > previous.frames && bytes > previous.bytes));
  });
  assert.equal(steps.at(-1)!.bytes, totalBytes(unreliable));
  for (const list of [lossCosts, needs, reach]) assert.ok(list === undefined || list.length === unreliable.length);
  needs?.forEach((of, place) => assert.ok(of.every((need) => need >= 0 && need < place)));
  assert.ok(!needs || needs.flat().length <= mostRanges);
  assert.equal(
    estimateScore(map, () => true),
    Math.max(steps.at(-1)!.score, steps[0]!.score),
  );
  assert.ok(Number.isFinite(estimateScore(map, ({ start }) => start % 2 === 0)));
  assert.ok(scoreGains(map, (index) => index % 2 === 0).every(Number.isFinite));
}
