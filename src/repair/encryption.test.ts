import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { receivedExcept, type Gap } from '../../test/repair/gaps.js';
import { root } from '../../tools/setup/paths.mjs';
import { commonEncryption } from './encryption.js';
import { parseFragments, parseSampleEntries } from './fmp4.js';
import { createRepairer } from './index.js';

interface Packaged {
  readonly init: string;
  readonly segments: readonly string[];
}

/** A clip that another project's packager has encrypted, and the same clip in the clear. */
const { encrypted, clear } = JSON.parse(readFileSync(join(root, 'test/vectors/cbcs.json'), 'utf8')) as {
  readonly encrypted: Packaged;
  readonly clear: Packaged;
};
const bytes = (base64: string): Uint8Array => Uint8Array.from(Buffer.from(base64, 'base64'));
const INIT = bytes(encrypted.init);
const ENCRYPTION = () => parseSampleEntries(INIT, commonEncryption).entries[0]!.encryption;

describe('a track that is encrypted with cbcs', () => {
  it.each([0, 1])('has subsamples that cover its samples: segment %i', (index) => {
    const samples = parseFragments(bytes(encrypted.segments[index]!), ENCRYPTION).flatMap((one) => one.samples);
    const plain = parseFragments(bytes(clear.segments[index]!)).flatMap((one) => one.samples);
    expect(samples.map(({ size }) => size)).toEqual(plain.map(({ size }) => size));
    for (const { size, subsamples } of samples) {
      expect(subsamples!.reduce((sum, one) => sum + one.clear + one.encrypted, 0)).toBe(size);
    }
  });

  it('is repaired in the same frames as in the clear, and what stands in is declared clear', () => {
    const segment = bytes(encrypted.segments[0]!);
    const { samples } = parseFragments(segment, ENCRYPTION)[0]!;
    const [, ...others] = samples;
    const largest = samples.indexOf(others.reduce((one, other) => (other.size > one.size ? other : one)));
    const damaged = samples[largest]!;
    // Of its two slices the first, which is larger than what stands in for it.
    const [first] = damaged.subsamples!;
    const end = damaged.offset + first!.clear + first!.encrypted;
    const gaps: Gap[] = [[end - 1, end]];
    const repaired = createRepairer(INIT).repair(segment, receivedExcept(gaps));
    expect(repaired.frames.flatMap(({ index, repairedSlices }) => (repairedSlices ? [index] : []))).toEqual([largest]);
    const after = parseFragments(repaired.bytes, ENCRYPTION)[0]!.samples[largest]!;
    expect(after.size).toBeLessThan(damaged.size);
    expect(first!.encrypted).toBeGreaterThan(0);
    expect(after.subsamples![0]!.encrypted).toBe(0);
    expect(after.subsamples).toHaveLength(damaged.subsamples!.length);
    expect(after.subsamples![1]).toEqual(damaged.subsamples![1]);
  });

  it('is refused when it uses another scheme, which runs on from slice to slice', () => {
    const init = Uint8Array.from(INIT);
    init.set(Buffer.from('cenc'), Buffer.from(init).indexOf('cbcs'));
    const repairer = createRepairer(init);
    expect(repairer.needsPlan).toBe(true);
    const repair = () => repairer.repair(bytes(encrypted.segments[0]!), receivedExcept([]));
    expect(repair).toThrow('repair does not support encryption by the scheme cenc, only cbcs');
  });

  it('is refused where a header is not in the clear', () => {
    const segment = bytes(encrypted.segments[0]!);
    const { field, clear, encrypted: rest } = parseFragments(segment, ENCRYPTION)[0]!.samples[1]!.subsamples![0]!;
    const view = new DataView(segment.buffer);
    view.setUint16(field, clear - 2);
    view.setUint32(field + 2, rest + 2);
    const repair = () => createRepairer(INIT).repair(segment, receivedExcept([]));
    expect(repair).toThrow('repair does not support slice headers that are encrypted');
  });
});
