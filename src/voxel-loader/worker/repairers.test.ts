import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { box, initSegment, mediaSegment, sample, sampleEntry, track, u32 } from '../../../test/repair/fmp4-builder.js';
import { receivedExcept } from '../../../test/repair/gaps.js';
import { avcc, slice } from '../../../test/repair/h264-builder.js';
import { root } from '../../../tools/setup/paths.mjs';
import { IntervalSet } from '../../manifest/interval-set.js';
import { createRepairer, createReplacer, type RepairPlan } from '../../repair/index.js';
import { VoxelError } from '../errors.js';
import { Repairers } from './repairers.js';

const H264 = initSegment(avcc());
const { encrypted } = JSON.parse(readFileSync(join(root, 'test/vectors/cbcs.json'), 'utf8')) as {
  readonly encrypted: { readonly init: string };
};
/** H.264 in `cbcs`. */
const ENCRYPTED = Uint8Array.from(Buffer.from(encrypted.init, 'base64'));
const HEVC = box('moov', track(sampleEntry('hvc1')));
const bytes = Uint8Array.from(
  mediaSegment({ runs: [(['I', 'P', 'B'] as const).map((type) => sample([slice(type, 200)]))] }),
);
const description = (type: string) => box('stsd', u32(0, 1), sampleEntry(type));
const [, p, b] = createRepairer(H264).repair(bytes, receivedExcept([])).frames;
const plan: RepairPlan = {
  kind: 'remove',
  frames: [p!, b!].map(({ start, bytes }) => ({ start, end: start + bytes, needs: [] })),
};
const end = b!.start + b!.bytes;
const damaged = {
  bytes,
  received: new IntervalSet([
    { start: 0, end: end - 100 },
    { start: end, end: bytes.length },
  ]),
};

/** Repairers of a worker that loads what follows plans, or fails to as often as `failures` says. */
function createRepairers(failures = 0) {
  const load = vi.fn(() => {
    if (failures-- > 0) return Promise.reject(new VoxelError('unsupported', 'no such file'));
    return Promise.resolve(createRepairer);
  });
  return { repairers: new Repairers({ create: createReplacer, load }), load };
}

describe('a worker without what follows plans', () => {
  it('never loads it for H.264 without a plan', async () => {
    const { repairers, load } = createRepairers();
    expect(await repairers.add('0/q00', H264)).toBe('all');
    expect(repairers.repair('0/q00', damaged)).toEqual(createRepairer(H264).repair(bytes, damaged.received));
    expect(load).not.toHaveBeenCalled();
  });

  it('never loads it for sound, which comes whole', async () => {
    const { repairers, load } = createRepairers();
    const media = [box('hdlr', u32(0, 0), Buffer.from('soun')), box('minf', box('stbl', description('mp4a')))];
    repairers.expect('avc1.64001e,mp4a.40.2');
    expect(await repairers.add('0/audio-0', box('moov', box('trak', box('mdia', ...media))))).toBe('none');
    expect(load).not.toHaveBeenCalled();
  });

  it('loads it beside the initialization segment where the manifest names the codec', async () => {
    const { repairers, load } = createRepairers();
    repairers.expect('av01.0.00M.08');
    expect(load).toHaveBeenCalledOnce();
    await repairers.add('0/q00', HEVC);
    expect(load).toHaveBeenCalledOnce();
  });

  it('loads it once for tracks of which nothing can stand in for a frame', async () => {
    const { repairers, load } = createRepairers();
    expect(await Promise.all([repairers.add('0/q00', HEVC), repairers.add('0/q01', HEVC)])).toEqual([
      'planned',
      'planned',
    ]);
    expect(repairers.repair('0/q01', damaged, plan).frames.map(({ removed }) => removed)).toEqual([false, false, true]);
    expect(load).toHaveBeenCalledOnce();
  });

  it('loads it for encrypted H.264, of which it then replaces frames as of H.264 in the clear', async () => {
    const { repairers, load } = createRepairers();
    repairers.expect('encv');
    expect(load).toHaveBeenCalledOnce();
    expect(await repairers.add('0/q00', ENCRYPTED)).toBe('all');
    expect(repairers.needsPlan('0/q00')).toBe(false);
    expect(load).toHaveBeenCalledOnce();
  });

  it('replaces frames of H.264 that a plan lets go until it is here', async () => {
    const { repairers, load } = createRepairers();
    await repairers.add('0/q00', H264);
    const removed = () => repairers.repair('0/q00', damaged, plan).frames.map((frame) => frame.removed);
    expect(removed()).toEqual([false, false, false]);
    await vi.waitFor(() => expect(removed()).toEqual([false, false, true]));
    expect(load).toHaveBeenCalledOnce();
  });

  it('says why it did not come, and tries again with the next initialization segment', async () => {
    const { repairers, load } = createRepairers(1);
    await expect(repairers.add('0/q00', HEVC)).rejects.toMatchObject({ code: 'unsupported', message: 'no such file' });
    expect(await repairers.add('0/q00', HEVC)).toBe('planned');
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('plays complete segments and pieces of other codecs meanwhile', () => {
    const { repairers } = createRepairers(1);
    void repairers.add('0/q00', HEVC).catch(() => undefined);
    const whole = { bytes, received: new IntervalSet([{ start: 0, end: bytes.length }]) };
    expect(repairers.repair('0/q00', whole).bytes).toBe(bytes);
    expect(() => repairers.repair('0/q00', damaged)).toThrow('codec hvc1');
  });
});
