import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { totalBytes, type ByteRange } from './byte-range.js';
import { ManifestError } from './errors.js';
import { parseSegment, type SegmentAttributes } from './segment-attributes.js';

/** 100 bytes at 1000: two frames in `unreliable`, the later one first. */
const good: SegmentAttributes = {
  mediaRange: '1000-1099',
  reliable: '1000-1019,1050-1054',
  unreliable: '1055-1099,1020-1049',
  reliableSize: '25',
  scores: '0.9:0:0,0.97:1:45,1.0:2:75',
};

describe('parseSegment', () => {
  it('reads ranges as half-open intervals, and the steps', () => {
    expect(parseSegment(good)).toEqual({
      range: { start: 1000, end: 1100 },
      reliable: [
        { start: 1000, end: 1020 },
        { start: 1050, end: 1055 },
      ],
      unreliable: [
        { start: 1055, end: 1100 },
        { start: 1020, end: 1050 },
      ],
      reliableBytes: 25,
      steps: [
        { score: 0.9, frames: 0, bytes: 0 },
        { score: 0.97, frames: 1, bytes: 45 },
        { score: 1, frames: 2, bytes: 75 },
      ],
    });
  });

  it('takes a segment that is all reliable', () => {
    const map = parseSegment({
      mediaRange: '0-9',
      reliable: '0-9',
      unreliable: '',
      reliableSize: '10',
      scores: '1:0:0',
    });
    expect(map.unreliable).toEqual([]);
    expect(map.steps).toEqual([{ score: 1, frames: 0, bytes: 0 }]);
  });

  it('takes a manifest that starts above reliable bytes only, as the thesis prints it', () => {
    expect(parseSegment({ ...good, scores: '0.97:1:45,1.0:2:75' }).steps[0]).toEqual({
      score: 0.97,
      frames: 1,
      bytes: 45,
    });
  });

  it.each<[string, ManifestError['code'], Partial<SegmentAttributes>]>([
    ['no mediaRange', 'syntax', { mediaRange: '' }],
    ['a range without end', 'syntax', { mediaRange: '1000-' }],
    ['a range that ends before it starts', 'syntax', { mediaRange: '1099-1000' }],
    ['a signed number', 'syntax', { reliable: '+1000-1019,1050-1054' }],
    ['an empty range', 'syntax', { reliable: '1000-1019,,1050-1054' }],
    ['a number beyond 2^53', 'syntax', { mediaRange: '1000-9007199254740992' }],
    ['a hexadecimal score', 'syntax', { scores: '0x1:0:0,1.0:2:75' }],
    ['a score that is not finite', 'syntax', { scores: `${'9'.repeat(400)}:0:0,1.0:2:75` }],
    ['a step with a fourth field', 'syntax', { scores: '0.9:0:0:0,1.0:2:75' }],
    ['no scores', 'syntax', { scores: '' }],
    ['a segment beyond any memory', 'size', { mediaRange: '0-9007199254740990' }],
    ['a byte in no range', 'ranges', { reliable: '1000-1018,1050-1054', reliableSize: '24' }],
    ['a byte in two ranges', 'ranges', { reliable: '1000-1020,1050-1054', reliableSize: '26' }],
    ['bytes after the segment', 'ranges', { mediaRange: '1000-1098' }],
    ['bytes before the segment', 'ranges', { mediaRange: '1001-1099' }],
    ['reliable ranges out of order', 'ranges', { reliable: '1050-1054,1000-1019' }],
    ['a segment with nothing reliable', 'ranges', { reliable: '', unreliable: '1000-1099', reliableSize: '0' }],
    ['a wrong reliableSize', 'ranges', { reliableSize: '26' }],
    ['steps that do not ascend in bytes', 'steps', { scores: '0.9:0:0,0.97:1:0,1.0:2:75' }],
    ['steps that do not ascend in frames', 'steps', { scores: '0.9:0:0,0.97:2:45,1.0:2:75' }],
    ['a step inside a range', 'steps', { scores: '0.9:0:0,0.97:1:44,1.0:2:75' }],
    ['a last step that is not all', 'steps', { scores: '0.9:0:0,0.97:1:45' }],
    ['a step beyond the last range', 'steps', { scores: '0.9:0:0,1.0:2:76' }],
  ])('refuses %s', (_what, code, change) => {
    expect(() => parseSegment({ ...good, ...change })).toThrow(
      expect.objectContaining({ name: 'ManifestError', code }),
    );
  });

  it('throws nothing but a one-line ManifestError, whatever the text', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9,:.-]*$/));
    fc.assert(
      fc.property(fc.constantFrom(...(Object.keys(good) as (keyof SegmentAttributes)[])), text, (key, value) => {
        try {
          parseSegment({ ...good, [key]: value });
        } catch (error) {
          expect(error).toBeInstanceOf(ManifestError);
          expect((error as ManifestError).message).not.toContain('\n');
        }
      }),
    );
  });

  it('accepts every partition of a segment, in any order of the frames', () => {
    const piece = fc.record({ length: fc.integer({ min: 1, max: 50 }), isReliable: fc.boolean(), order: fc.nat() });
    const pieces = fc.array(piece, { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.nat(2 ** 40), pieces, (base, pieces) => {
        let at = base;
        const ranges = pieces.map(({ length, isReliable, order }, index) => {
          return { start: at, end: (at += length), isReliable: isReliable || index === 0, order };
        });
        const reliable = ranges.filter((range) => range.isReliable);
        const unreliable = ranges.filter((range) => !range.isReliable).sort((a, b) => a.order - b.order);
        const map = parseSegment({
          mediaRange: print([{ start: base, end: at }]),
          reliable: print(reliable),
          unreliable: print(unreliable),
          reliableSize: String(totalBytes(reliable)),
          scores: unreliable.length > 0 ? `0.5:0:0,1:1:${totalBytes(unreliable)}` : '1:0:0',
        });
        expect(print(map.reliable)).toBe(print(reliable));
        expect(print(map.unreliable)).toBe(print(unreliable));
      }),
    );
  });
});

function print(ranges: readonly ByteRange[]): string {
  return ranges.map(({ start, end }) => `${start}-${end - 1}`).join(',');
}
