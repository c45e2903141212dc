import { describe, expect, it } from 'vitest';
import { fromHex, sharedVectors } from '../../../test/repair/vectors.js';
import { parseParameterSets } from './parameter-sets.js';
import { SkipSliceWriter } from './skip-slice.js';
import { parseSliceHeader } from './slice-header.js';

const vectors = sharedVectors();

describe('slices', () => {
  it.each(vectors.map((vector, index) => ({ index, ...vector })))(
    'of vector $index ($type, CABAC $cabac) are read and skipped as it says',
    (vector) => {
      const nal = fromHex(vector.nal);
      const header = parseSliceHeader(nal, parseParameterSets(fromHex(vector.avcc)));
      expect(header).toMatchObject({
        type: vector.type,
        firstMacroblock: vector.firstMacroblock,
        cabacInitIdc: vector.cabacInitIdc,
        qp: vector.qp,
        headerBits: vector.headerBits,
        headerBytes: vector.headerBytes,
      });
      const skip = () => new SkipSliceWriter().write(nal.subarray(0, vector.headerBytes), header, vector.macroblocks);
      if (vector.skipSlice === null) expect(skip).toThrow(RangeError);
      else expect(Buffer.from(skip()).toString('hex')).toBe(vector.skipSlice);
    },
  );

  it('keep their header when they are skipped', () => {
    for (const vector of vectors.filter(({ skipSlice }) => skipSlice !== null)) {
      const sets = parseParameterSets(fromHex(vector.avcc));
      expect(parseSliceHeader(fromHex(vector.skipSlice!), sets)).toEqual(parseSliceHeader(fromHex(vector.nal), sets));
    }
  });

  it('cannot be read when their header is cut off', () => {
    for (const vector of vectors) {
      const sets = parseParameterSets(fromHex(vector.avcc));
      const nal = fromHex(vector.nal);
      for (let length = 1; length < vector.headerBytes; length++) {
        expect(() => parseSliceHeader(nal.subarray(0, length), sets)).toThrow('ends inside its header');
      }
    }
  });
});
