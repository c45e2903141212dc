import { describe, expect, it } from 'vitest';
import { applyEdits } from './edits.js';
import { clearSubsamples, isClear, type Subsample, SUBSAMPLE_BYTES } from './subsamples.js';

/** A sample at 100: an SEI and a slice of 10 + 60 bytes, another slice of 5 + 40, six bytes in the clear. */
const OFFSET = 100;
const MAP: readonly [clear: number, encrypted: number][] = [
  [30, 60],
  [5, 40],
  [6, 0],
];
const SUBSAMPLES = MAP.map(([clear, encrypted], index): Subsample => ({
  field: index * SUBSAMPLE_BYTES,
  clear,
  encrypted,
}));
const FIRST_SLICE = { start: 120, end: 190 };
const SECOND_SLICE = { start: 190, end: 235 };

function mapAfter(replaced: readonly { start: number; end: number; bytes: number }[]): number[][] {
  const view = new DataView(new ArrayBuffer(MAP.length * SUBSAMPLE_BYTES));
  MAP.forEach(([clear, encrypted], index) => {
    view.setUint16(index * SUBSAMPLE_BYTES, clear);
    view.setUint32(index * SUBSAMPLE_BYTES + 2, encrypted);
  });
  const edits = replaced.map(({ start, end, bytes }) => ({ start, end, data: new Uint8Array(bytes) }));
  const map = applyEdits(new Uint8Array(view.buffer), clearSubsamples(OFFSET, SUBSAMPLES, edits));
  const after = new DataView(map.buffer);
  return MAP.map((_, index) => [
    after.getUint16(index * SUBSAMPLE_BYTES),
    after.getUint32(index * SUBSAMPLE_BYTES + 2),
  ]);
}

describe('the subsamples of a repaired sample', () => {
  it('are as they were where nothing is replaced', () => {
    expect(mapAfter([])).toEqual(MAP);
  });

  it('declare a replaced slice clear, with the clear bytes before it', () => {
    expect(mapAfter([{ ...FIRST_SLICE, bytes: 12 }])).toEqual([[32, 0], [5, 40], [6, 0]]); // prettier-ignore
    expect(mapAfter([{ ...SECOND_SLICE, bytes: 9 }])).toEqual([[30, 60], [9, 0], [6, 0]]); // prettier-ignore
  });

  it('sum up to the new size when all slices are replaced, also by longer ones', () => {
    const after = mapAfter([{ ...FIRST_SLICE, bytes: 12 }, { ...SECOND_SLICE, bytes: 50 }]); // prettier-ignore
    expect(after).toEqual([[32, 0], [50, 0], [6, 0]]); // prettier-ignore
  });

  it('follow a slice that is clear and whose bytes are counted with those of the next one', () => {
    const short = { start: 100, end: 115, bytes: 10 };
    expect(mapAfter([short])).toEqual([[25, 60], [5, 40], [6, 0]]); // prettier-ignore
  });

  it('cannot be had where encrypted bytes belong to several slices', () => {
    expect(() => mapAfter([{ start: 120, end: 150, bytes: 12 }])).toThrow('several slices');
  });
});

describe('isClear', () => {
  it('is false for any byte that is encrypted', () => {
    expect(isClear(OFFSET, SUBSAMPLES, 100, 130)).toBe(true);
    expect(isClear(OFFSET, SUBSAMPLES, 190, 195)).toBe(true);
    expect(isClear(OFFSET, SUBSAMPLES, 120, 131)).toBe(false);
    expect(isClear(OFFSET, SUBSAMPLES, 189, 195)).toBe(false);
  });
});
