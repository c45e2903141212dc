import { readTrack } from '../../src/repair/codecs.js';
import { commonEncryption } from '../../src/repair/encryption.js';
import { parseFragments } from '../../src/repair/fmp4.js';
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
  const track = readTrack(init, commonEncryption);
  const gaps = parseFragments(segments, (description) => track(description).encryption)
    .flatMap(({ samples, description }) => {
      const read = track(description).codec.reader(segments, receivedExcept([]));
      return samples.flatMap(({ offset, size }) => read(offset, offset + size));
    })
    .flatMap(({ parts }) => parts)
    .filter(({ reliableEnd, end }) => reliableEnd < end)
    .filter((_, index) => index % 3 === 0)
    .map(({ start, reliableEnd, end }): Gap => [Math.max(reliableEnd, (start + end) >> 1), end]);
  const { bytes, frames } = createRepairer(init).repair(punch(segments, gaps), receivedExcept(gaps));
  return { file: Buffer.concat([init, bytes]), frames };
}
