import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  box,
  initSegment,
  mediaSegment,
  sample,
  sampleEntry,
  track,
  trackDefaults,
} from '../../test/repair/fmp4-builder.js';
import { punch, receivedExcept, type Gap } from '../../test/repair/gaps.js';
import { avcc, HEADER_BYTES, pps, slice, sps } from '../../test/repair/h264-builder.js';
import { parseFragments } from './fmp4.js';
import { parseParameterSets } from './h264/parameter-sets.js';
import { SkipSliceWriter } from './h264/skip-slice.js';
import { parseSliceHeader } from './h264/slice-header.js';
import { createRepairer, RepairError } from './index.js';

const repairer = createRepairer(initSegment(avcc()));

const LENGTH_SIZE = 4;
/** Position of a slice's data in a sample of one slice. */
const DATA = LENGTH_SIZE + HEADER_BYTES;
const SEI = Uint8Array.of(6, 5, 1, 0xaa, 0x80);

/** A sample of one P slice with so many bytes of data. */
function frame(bytes: number): Uint8Array {
  return sample([slice('P', bytes)]);
}

/** A segment of one run of samples, with a gap in one of them: `from` and `to` count from the sample's first byte. */
function damage(samples: readonly Uint8Array[], index: number, from: number, to = samples[index]!.length) {
  const segment = mediaSegment({ runs: [samples] });
  const { offset } = parseFragments(segment)[0]!.samples[index]!;
  const gaps: Gap[] = [[offset + from, offset + to]];
  return { segment: punch(segment, gaps), received: receivedExcept(gaps) };
}

/** The NAL units of each sample of a segment, as hexadecimal. */
function nalUnits(segment: Uint8Array): string[][] {
  return parseFragments(segment).flatMap(({ samples }) =>
    samples.map(({ offset, size }) => {
      const nals: string[] = [];
      const data = Buffer.from(segment.subarray(offset, offset + size));
      for (let at = 0; at < data.length; at += LENGTH_SIZE + data.readUInt32BE(at)) {
        nals.push(data.subarray(at + LENGTH_SIZE, at + LENGTH_SIZE + data.readUInt32BE(at)).toString('hex'));
      }
      return nals;
    }),
  );
}

/** The segment without the last byte of one sample, repaired. */
function repairWithoutEnd(segment: Uint8Array, index: number, by = repairer): Uint8Array {
  const { offset, size } = parseFragments(segment)[0]!.samples[index]!;
  const gaps: Gap[] = [[offset + size - 1, offset + size]];
  return by.repair(punch(segment, gaps), receivedExcept(gaps)).bytes;
}

/** The all-skip slice that stands in for `slice('P')`, as hexadecimal. */
const SKIPPED = nalUnits(repairWithoutEnd(mediaSegment({ runs: [[frame(100)]] }), 0))[0]![0]!;

describe('repair', () => {
  it('returns a segment with nothing missing as it is', () => {
    const segment = mediaSegment({ runs: [[frame(80), frame(90)]] });
    const { bytes, frames } = repairer.repair(segment, receivedExcept([]));
    expect(bytes).toBe(segment);
    expect(frames).toMatchObject([
      { index: 0, type: 'P', slices: 1, repairedSlices: 0, bytes: DATA + 80 },
      { index: 1, repairedSlices: 0, start: frames[0]!.start + DATA + 80 },
    ]);
  });

  it('takes a chunk of a live segment by itself, whatever boxes stand before its fragment', () => {
    const before = box('prft', new Uint8Array(24));
    const fragment = mediaSegment({ runs: [[frame(300), frame(300)]] });
    const chunk = Uint8Array.from([...before, ...fragment]);
    expect(repairWithoutEnd(chunk, 1)).toEqual(Uint8Array.from([...before, ...repairWithoutEnd(fragment, 1)]));
  });

  it('skips a slice and fills its sample up, touching nothing else', () => {
    const samples = [frame(300), sample([SEI, slice('P', 300)]), frame(300)];
    const { segment, received } = damage(samples, 1, DATA + 60, DATA + 61);
    const before = Uint8Array.from(segment);
    const { bytes, frames } = repairer.repair(segment, received);
    expect(segment).toEqual(before);
    expect(bytes).toHaveLength(segment.length);
    expect(frames.map(({ repairedSlices }) => repairedSlices)).toEqual([0, 1, 0]);
    const [first, second, third] = nalUnits(bytes);
    expect([first, third]).toEqual([nalUnits(segment)[0], nalUnits(segment)[2]]);
    expect(second!.slice(0, 2)).toEqual([Buffer.from(SEI).toString('hex'), SKIPPED]);
    expect(second![2]).toMatch(/^0c(ff)+80$/);
    expect(parseFragments(bytes)).toEqual(parseFragments(segment));
  });

  it.each(['32-bit', '64-bit', 'to the end'] as const)(
    'gives a sample of another size where no filler fits, and keeps the headers true (mdat size: %s)',
    (mdatSize) => {
      for (let spare = -4; spare <= LENGTH_SIZE + 2; spare++) {
        const tight = frame(SKIPPED.length / 2 - HEADER_BYTES + spare);
        const segment = mediaSegment({ runs: [[frame(50), tight], [frame(60)]], mdatSize });
        const bytes = repairWithoutEnd(segment, 1);
        const isFilled = spare === LENGTH_SIZE + 2;
        const [first, second, third] = nalUnits(bytes);
        expect([first, third]).toEqual([nalUnits(segment)[0], nalUnits(segment)[2]]);
        expect(second).toEqual(isFilled ? [SKIPPED, '0c80'] : [SKIPPED]);
        expect(bytes).toHaveLength(segment.length - (isFilled ? 0 : spare));
      }
    },
  );

  it('changes the size of a fragment with one sample, which is a default', () => {
    const tight = frame(SKIPPED.length / 2 - HEADER_BYTES + 2);
    for (const samples of [[tight], [frame(300)]]) {
      const named = mediaSegment({ runs: [samples], sizes: 'default' });
      const bytes = repairWithoutEnd(named, 0);
      expect(nalUnits(bytes)).toEqual(nalUnits(repairWithoutEnd(mediaSegment({ runs: [samples] }), 0)));
    }
  });

  it('needs samples whole that share a size, and repairs the others', () => {
    const shared = mediaSegment({ runs: [[frame(300), frame(300)]], sizes: 'default' });
    expect(repairer.repair(shared, receivedExcept([])).bytes).toBe(shared);
    expect(() => repairWithoutEnd(shared, 0)).toThrow(expect.objectContaining({ code: 'missing-reliable-bytes' }));
    const segment = Buffer.concat([shared, mediaSegment({ runs: [[frame(300)]] })]);
    const last = parseFragments(segment)[1]!.samples[0]!;
    const gaps: Gap[] = [[last.offset + last.size - 1, last.offset + last.size]];
    expect(nalUnits(repairer.repair(punch(segment, gaps), receivedExcept(gaps)).bytes)[2]![0]).toBe(SKIPPED);
  });

  it('shrinks a sample whose filler would be too long for its length field', () => {
    const lengthSize = 2;
    const slices = [slice('P', 40_000), slice('B', 40_000, 100)];
    const segment = mediaSegment({ runs: [[sample(slices, lengthSize)]] });
    const { offset, size } = parseFragments(segment)[0]!.samples[0]!;
    const second = offset + size - slices[1]!.length;
    const gaps: Gap[] = [
      [offset + 20, offset + 21],
      [second + 20, second + 21],
    ];
    const twoByteRepairer = createRepairer(initSegment(avcc(lengthSize)));
    const { bytes, frames } = twoByteRepairer.repair(punch(segment, gaps), receivedExcept(gaps));
    expect(frames).toMatchObject([{ type: 'B', slices: 2, repairedSlices: 2 }]);
    expect(bytes.length).toBeLessThan(segment.length - 79_000);
    expect(twoByteRepairer.repair(bytes, receivedExcept([])).bytes).toBe(bytes);
  });

  it('keeps the complete slices of a picture', () => {
    const samples = [sample([slice('B', 200), slice('B', 200, 100)])];
    const segment = mediaSegment({ runs: [samples] });
    const [kept, skipped, filler] = nalUnits(repairWithoutEnd(segment, 0))[0]!;
    expect(kept).toBe(nalUnits(segment)[0]![0]);
    expect(skipped!.slice(0, 6)).toBe(nalUnits(segment)[0]![1]!.slice(0, 6));
    expect(filler).toMatch(/^0c(ff)+80$/);
  });

  it.each([
    ['a slice header', 0, DATA - 1, DATA],
    ['a length field', 0, 2, 3],
    ['the byte after it', 0, LENGTH_SIZE, LENGTH_SIZE + 1],
    ['another NAL unit', 1, LENGTH_SIZE + 2, LENGTH_SIZE + 3],
  ])('needs %s', (_, index, from, to) => {
    const { segment, received } = damage([frame(90), sample([SEI, slice('P', 90)])], index, from, to);
    expect(() => repairer.repair(segment, received)).toThrow(
      expect.objectContaining({ code: 'missing-reliable-bytes' }),
    );
  });

  it('refuses slices of few bytes that say they are most of a large picture', () => {
    const large = avcc(4, [sps({ width: 400, height: 348 })]);
    const segment = mediaSegment({ runs: [[frame(1)]] });
    expect(() => repairWithoutEnd(segment, 0, createRepairer(initSegment(large)))).toThrow(
      '139200 macroblocks in a slice of 9 bytes',
    );
  });

  it('skips slices of any length alike, whatever was skipped before', () => {
    const header = parseSliceHeader(slice('P', 1), parseParameterSets(avcc()));
    const writer = new SkipSliceWriter();
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), (macroblocks) => {
        const write = (by: SkipSliceWriter) => by.write(slice('P', 1), header, macroblocks);
        expect(write(writer)).toEqual(write(new SkipSliceWriter()));
      }),
    );
  });

  it('takes parameter sets in samples that are those of the avcC but for zeros at their end', () => {
    const padded = initSegment(avcc(4, [sps()], [Uint8Array.of(...pps(), 0)]));
    const segment = mediaSegment({ runs: [[sample([sps(), pps(), slice('P', 100)])]] });
    for (const init of [padded, initSegment(avcc())]) {
      const [, , skipped] = nalUnits(repairWithoutEnd(segment, 0, createRepairer(init)))[0]!;
      expect(skipped).toBe(SKIPPED);
    }
    const zeros = mediaSegment({ runs: [[sample([Uint8Array.of(...sps(), 0, 0), slice('P', 100)])]] });
    expect(nalUnits(repairWithoutEnd(zeros, 0))[0]![1]).toBe(SKIPPED);
  });

  it('takes the parameter sets of an avc3 track from its samples, which may change them', () => {
    const inBand = createRepairer(initSegment(avcc(4, [], []), 'avc3'));
    const small = { width: 2, height: 2 };
    const samples = [
      sample([sps(), pps(), slice('P', 100)]),
      frame(100),
      sample([sps(small), slice('P', 100)]),
      sample([sps(), slice('P', 100)]),
    ];
    const segment = mediaSegment({ runs: [samples] });
    const slices = [0, 1, 2, 3].map((index) => nalUnits(repairWithoutEnd(segment, index, inBand))[index]!.at(-2)!);
    expect([slices[0], slices[1], slices[3]]).toEqual([SKIPPED, SKIPPED, SKIPPED]);
    expect(slices[2]!.length).toBeLessThan(SKIPPED.length);
    expect(() => inBand.repair(mediaSegment({ runs: [[frame(9)]] }), receivedExcept([]))).toThrow(
      'unknown picture parameter set',
    );
    expect(() => repairWithoutEnd(segment, 2)).toThrow('parameter sets that change');
  });

  it('reads each fragment by the sample description that it names', () => {
    const [large, small] = [avcc(), avcc(4, [sps({ width: 2, height: 2 })])];
    const entries = [large, small].map((configuration) => sampleEntry('avc1', box('avcC', configuration)));
    const of = (defaultNumber: number) => createRepairer(box('moov', track(...entries), trackDefaults(defaultNumber)));
    const skipped = (description?: number, by = of(1)) =>
      nalUnits(
        repairWithoutEnd(mediaSegment({ runs: [[frame(100)]], ...(description && { description }) }), 0, by),
      )[0]![0]!;
    expect([skipped(), skipped(1), skipped(1, of(2))]).toEqual([SKIPPED, SKIPPED, SKIPPED]);
    expect(skipped(2).length).toBeLessThan(SKIPPED.length);
    expect(skipped(undefined, of(2))).toBe(skipped(2));
    const wrong = mediaSegment({ runs: [[frame(100)]], description: 3 });
    expect(() => of(1).repair(wrong, receivedExcept([]))).toThrow('no sample description 3');
  });

  it('needs every I slice', () => {
    const segment = mediaSegment({ runs: [[sample([slice('I', 50)])]] });
    expect(() => repairWithoutEnd(segment, 0)).toThrow(expect.objectContaining({ code: 'missing-reliable-bytes' }));
  });

  it('needs every byte outside the sample data', () => {
    const whole = mediaSegment({ runs: [[frame(90)]] });
    const [fragment] = parseFragments(whole);
    for (let at = 0; at < fragment!.mdatPayload; at++) {
      const gaps: Gap[] = [[at, at + 1]];
      const repairOfIt = () => repairer.repair(punch(whole, gaps), receivedExcept(gaps));
      expect(repairOfIt).toThrow(expect.objectContaining({ code: 'missing-reliable-bytes' }));
    }
  });

  it.each([
    ['several pictures in a sample', { runs: [[sample([slice('P', 9), slice('P', 9)])]] }],
    ['without a size for each sample', { runs: [[frame(9)]], sizes: 'none' as const }],
    ['data offsets that are positions', { runs: [[frame(9)]], trackFlags: 1 }],
    ['parameter sets that change', { runs: [[sample([Uint8Array.of(0x67, 1, 2, 3), slice('P', 9)])]] }],
    ['data partitioning', { runs: [[sample([Uint8Array.of(0x62, 1)])]] }],
  ])('does not support %s', (reason, form) => {
    const repairOfIt = () => repairer.repair(mediaSegment(form), receivedExcept([]));
    expect(repairOfIt).toThrow(reason);
    expect(repairOfIt).toThrow(expect.objectContaining({ code: 'unsupported-stream' }));
  });

  it('ends with a segment or a RepairError, whatever the bytes', () => {
    const segment = mediaSegment({ runs: [[frame(60), sample([SEI, slice('P', 60)])], [frame(70)]] });
    const position = fc.nat(segment.length - 1);
    const flips = fc.array(fc.tuple(position, fc.nat(255)), { maxLength: 8 });
    fc.assert(
      fc.property(flips, fc.array(fc.tuple(position, fc.nat(99)), { maxLength: 3 }), (bytes, gaps) => {
        const hostile = Uint8Array.from(segment);
        for (const [at, byte] of bytes) hostile[at] = byte;
        const damage = gaps.map(([start, length]): Gap => [start, start + length]);
        try {
          repairer.repair(hostile, receivedExcept(damage));
        } catch (error) {
          if (!(error instanceof RepairError)) throw error;
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('createRepairer', () => {
  const avc1 = sampleEntry('avc1', box('avcC', avcc()));

  it.each([
    ['malformed', 'encv box without sinf', [track(sampleEntry('encv', box('avcC', avcc())))]],
    ['unsupported-stream', '2 trak boxes', [track(avc1), track(avc1)]],
    ['malformed', 'no sample description', [track()]],
    ['malformed', 'without avcC', [track(sampleEntry('avc1'))]],
    ['malformed', 'without mdia', [box('trak')]],
  ])('says %s: %s', (code, message, tracks) => {
    const create = () => createRepairer(box('moov', ...tracks));
    expect(create).toThrow(message);
    expect(create).toThrow(expect.objectContaining({ code }));
  });

  it('says that nothing stands in for frames of another codec, in any of the sample descriptions', () => {
    const other = createRepairer(box('moov', track(avc1, sampleEntry('hvc1')), trackDefaults(2)));
    expect([repairer.needsPlan, other.needsPlan]).toEqual([false, true]);
    expect(() => other.repair(mediaSegment({ runs: [[frame(60)]] }), receivedExcept([]))).toThrow('codec hvc1');
  });

  it('ends with a repairer or a RepairError, whatever the bytes', () => {
    const init = initSegment(avcc());
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(init.length - 1), fc.nat(255)), { maxLength: 8 }), (bytes) => {
        const hostile = Uint8Array.from(init);
        for (const [at, byte] of bytes) hostile[at] = byte;
        try {
          createRepairer(hostile);
        } catch (error) {
          if (!(error instanceof RepairError)) throw error;
        }
      }),
      { numRuns: 1000 },
    );
  });
});
