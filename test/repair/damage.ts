import { parseFragments, parseSampleEntry } from '../../src/repair/fmp4.js';
import { readSlices } from '../../src/repair/h264/access-unit.js';
import { parseParameterSets } from '../../src/repair/h264/parameter-sets.js';
import { createRepairer, type FrameReport } from '../../src/repair/index.js';
import { initEnd } from './clips.js';
import { punch, receivedExcept, type Gap } from './gaps.js';

/** A file, its initialization segment first, of which parts were missing and have been repaired. */
export interface RepairedFile {
  readonly file: Buffer;
  readonly frames: readonly FrameReport[];
}

/** The file with the second half of every third P or B slice missing, repaired. */
export function damageAndRepair(file: Uint8Array): RepairedFile {
  const init = file.subarray(0, initEnd(file));
  const segments = file.subarray(init.length);
  const entry = parseSampleEntry(init);
  const parameterSets = parseParameterSets(entry.configuration('avcC')!);
  const slices = parseFragments(segments, entry.encryption)
    .flatMap(({ samples }) => samples)
    .flatMap(({ offset, size }) => readSlices(parameterSets, segments, offset, offset + size, receivedExcept([])));
  const gaps = slices
    .filter(({ header }) => header.type !== 'I')
    .filter((_, index) => index % 3 === 0)
    .map(({ payload, end, header }): Gap => [Math.max(payload + header.headerBytes, (payload + end) >> 1), end]);
  const { bytes, frames } = createRepairer(init).repair(punch(segments, gaps), receivedExcept(gaps));
  return { file: Buffer.concat([init, bytes]), frames };
}
