import assert from 'node:assert/strict';
import { RepairError } from '../../../../src/repair/errors.js';
import { parseParameterSets } from '../../../../src/repair/h264/parameter-sets.js';
import { SkipSliceWriter } from '../../../../src/repair/h264/skip-slice.js';
import { parseSliceHeader } from '../../../../src/repair/h264/slice-header.js';
import { allow } from '../support/errors.js';
import { InputReader } from '../support/reader.js';
import { target } from '../support/target.js';

/**
 * The length of an `avcC`, that `avcC`, how many macroblocks, a slice: the slice that skips them has the same header, and is skipped
 * by itself.
 */
export const fuzz = target((bytes) => {
  const reader = new InputReader(bytes);
  const avcc = reader.bytes(reader.u8());
  const wanted = 1 + reader.u16();
  const nal = reader.rest();
  const sets = allow([RepairError], () => parseParameterSets(avcc));
  if (!sets) return;
  const header = allow([RepairError], () => parseSliceHeader(nal, sets));
  if (!header) return;
  assert.ok(header.headerBytes <= nal.length && header.headerBits <= 8 * header.headerBytes);
  const onlyHeader = nal.subarray(0, header.headerBytes);
  assert.deepEqual(parseSliceHeader(onlyHeader, sets), header);
  if (header.type === 'I') return;
  const macroblocks = Math.min(wanted, header.pps.sps.pictureMacroblocks - header.firstMacroblock);
  const skip = new SkipSliceWriter().write(onlyHeader, header, macroblocks);
  // It has emulation prevention bytes where a faulty header lacked them.
  assert.deepEqual({ ...parseSliceHeader(skip, sets), headerBytes: 0 }, { ...header, headerBytes: 0 });
  assert.deepEqual(new SkipSliceWriter().write(skip, header, macroblocks), skip);
  // A skipped macroblock costs some 0.03 bits, a few dozen more until the context has learned.
  assert.ok(skip.length <= 1.5 * header.headerBytes + 64 + macroblocks / 100, `${skip.length} bytes`);
  assert.ok(
    skip.every((byte, index) => byte > 2 || skip[index - 1] !== 0 || skip[index - 2] !== 0),
    'a start code',
  );
});
