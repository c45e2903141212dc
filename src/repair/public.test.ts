import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initSegment, mediaSegment, sample, sampleEntry, track, box } from '../../test/repair/fmp4-builder.js';
import { receivedExcept } from '../../test/repair/gaps.js';
import { avcc, slice } from '../../test/repair/h264-builder.js';
import { allExcept } from './missing.js';
import * as voxelRepair from './public.js';

const init = Uint8Array.from(initSegment(avcc()));
const repairer = voxelRepair.createRepairer(init);
const NAMES = ['I', 'P', 'B', 'P'] as const;
const segment = Uint8Array.from(mediaSegment({ runs: [NAMES.map((type) => sample([slice(type, 200)]))] }));
const { frames: whole } = repairer.repair(segment, []);
const unreliable = repairer.unreliableRanges(segment);

describe('voxel-repair', () => {
  it('exports a way to make a repairer and its error, nothing else', () => {
    expect(Object.keys(voxelRepair).sort()).toEqual(['RepairError', 'createRepairer']);
  });

  it('says that of P and B slices everything after the header may go missing, of I slices nothing', () => {
    const ends = whole.slice(1).map(({ start, bytes }) => start + bytes);
    expect(unreliable).toEqual(ends.map((end) => ({ start: end - 200, end })));
  });

  it('returns the segment itself where nothing is missing', () => {
    expect(repairer.repair(segment, []).bytes).toBe(segment);
    expect(repairer.repair(segment, [{ start: 9, end: 9 }]).bytes).toBe(segment);
  });

  it('repairs the frames of which unreliable bytes are missing, any of them, and no other', () => {
    const pieces = fc.array(fc.tuple(fc.nat(2), fc.nat(199), fc.nat(199)), { maxLength: 8 });
    fc.assert(
      fc.property(pieces, (chosen) => {
        const missing = chosen.map(([index, from, to]) => {
          const { start } = unreliable[index]!;
          return { start: start + Math.min(from, to), end: start + Math.max(from, to) + 1 };
        });
        const { bytes, frames } = repairer.repair(segment, missing);
        const damaged = new Set(chosen.map(([index]) => index + 1));
        expect(frames.map(({ repairedSlices }) => repairedSlices > 0)).toEqual(NAMES.map((_, at) => damaged.has(at)));
        expect(repairer.repair(bytes, []).frames.map(({ type }) => type)).toEqual(NAMES);
      }),
    );
  });

  it('refuses a segment without the bytes that no repair can do without', () => {
    const header = { start: unreliable[0]!.start - 1, end: unreliable[0]!.start };
    expect(() => repairer.repair(segment, [header])).toThrow(
      expect.objectContaining({ code: 'missing-reliable-bytes' }),
    );
  });

  it('refuses streams that it does not know', () => {
    const hevc = box('moov', track(sampleEntry('hvc1')));
    const unknown = voxelRepair.createRepairer(hevc);
    for (const call of [() => unknown.repair(segment, []), () => unknown.unreliableRanges(segment)])
      expect(call).toThrow(expect.objectContaining({ code: 'unsupported-stream' }));
  });

  it('takes out frames that are removable, with those that need them, in any codec', () => {
    const places = whole.map(({ start, bytes }) => ({ start, end: start + bytes }));
    const removable = [
      { ...places[1]!, needs: [] },
      { ...places[2]!, needs: [0] },
      { ...places[3]!, needs: [] },
    ];
    for (const any of [
      repairer,
      voxelRepair.createRepairer(Uint8Array.from(box('moov', track(sampleEntry('hvc1'))))),
    ]) {
      const { bytes, frames } = any.repair(segment, [{ start: places[1]!.end - 1, end: places[1]!.end }], removable);
      expect(frames.map(({ removed }) => removed)).toEqual([false, true, true, false]);
      expect(any.repair(bytes, [], []).frames.map((frame) => frame.bytes)).toEqual([whole[0]!.bytes, whole[3]!.bytes]);
    }
  });

  it.each([
    ['init must be a Uint8Array, got ArrayBuffer', () => voxelRepair.createRepairer(init.buffer as never)],
    ['segment must be a Uint8Array, got null', () => repairer.repair(null as never, [])],
    ['segment must be a Uint8Array, got string', () => repairer.unreliableRanges('moof' as never)],
    [
      `missing[1] must be a range inside [0, ${segment.length}), got [0, ${segment.length + 1})`,
      () => repairer.repair(segment, [unreliable[0]!, { start: 0, end: segment.length + 1 }]),
    ],
    [
      `missing[0] must be a range inside [0, ${segment.length}), got [undefined, 5)`,
      () => repairer.repair(segment, [{ end: 5 } as never]),
    ],
  ])('says: %s', (message, call) => expect(call).toThrow(message));
});

it('knows what has arrived like a look at every gap does', () => {
  const range = fc.tuple(fc.nat(40), fc.nat(40)).map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));
  fc.assert(
    fc.property(fc.array(range), range, (missing, { start, end }) => {
      const naive = receivedExcept(missing.filter((gap) => gap.start < gap.end).map((gap) => [gap.start, gap.end]));
      expect(allExcept(missing, 40).contains(start, end)).toBe(naive.contains(start, end));
    }),
  );
});
