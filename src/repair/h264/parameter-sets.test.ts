import { describe, expect, it } from 'vitest';
import { avcc, pps, sps } from '../../../test/repair/h264-builder.js';
import { parseParameterSets, parsePps, parseSps } from './parameter-sets.js';

describe('parameter sets', () => {
  it('are those of the avcC', () => {
    const sets = parseParameterSets(avcc());
    const { nalLengthSize, pps: ppsById } = sets;
    expect(nalLengthSize).toBe(4);
    expect(ppsById.get(0)).toMatchObject({
      cabac: true,
      initialQp: 26,
      sps: { pictureMacroblocks: 3600, frameNumBits: 16 },
    });
    expect([sps(), pps()].every((nal) => sets.has(nal))).toBe(true);
    expect(sets.has(sps({ width: 81 }))).toBe(false);
  });

  it('refuse an avcC that is cut off anywhere', () => {
    const whole = avcc();
    for (let length = 0; length < whole.length; length++) {
      const parse = () => parseParameterSets(whole.subarray(0, length));
      expect(parse).toThrow(expect.objectContaining({ code: 'malformed' }));
    }
  });

  it('refuse NAL unit lengths that nobody uses', () => {
    const bytes = avcc();
    bytes[4] = 0xfc;
    expect(() => parseParameterSets(bytes)).toThrow('NAL unit lengths of 1 bytes');
  });

  it.each([
    ['chroma format other than 4:2:0', { chromaFormat: 2 }],
    ['interlaced video', { frameMacroblocksOnly: 0 as const }],
    ['picture larger than any level of H.264 allows', { width: 400, height: 400 }],
  ])('refuse: %s', (reason, features) => {
    expect(() => parseSps(sps(features))).toThrow(
      expect.objectContaining({ code: 'unsupported-stream', message: `repair does not support ${reason}` }),
    );
  });

  it('refuse slice groups', () => {
    const spsById = new Map([[0, parseSps(sps())]]);
    expect(() => parsePps(pps({ sliceGroups: 2 }), spsById)).toThrow('slice groups');
  });
});
