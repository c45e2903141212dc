import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { strictDecode } from '../../test/browser/support/strict-decode.js';
import { encodeClip, initEnd, remuxClip, SYNTHETIC_CLIPS } from '../../test/repair/clips.js';
import { punch, receivedExcept, type Gap } from '../../test/repair/gaps.js';
import { outcomeOf, repairVector, type RemovalVector } from '../../test/repair/removal-vectors.js';
import { fromHex, type SliceVector } from '../../test/repair/vectors.js';
import { root, venvProgram } from '../../tools/setup/paths.mjs';
import { parseParameterSets } from './h264/parameter-sets.js';
import { SkipSliceWriter } from './h264/skip-slice.js';
import { parseSliceHeader } from './h264/slice-header.js';
import { createRepairer, type FrameReport } from './index.js';
import type { HoldableFrame } from './types.js';

const PYTHON = process.env.VOXEL_PYTHON ?? venvProgram('python');
/** Damages and repairs random input. */
const VECTORS = join(root, 'manifests/tests/repair_vectors.py');
const SLICES = 1000;
/** Makes random segments and removes frames of them. */
const REMOVAL_VECTORS = join(root, 'manifests/tests/removal_vectors.py');
const REMOVALS = 300;
/** Share of the P and B slices that are damaged. */
const DAMAGE = [0.05, 0.3, 1];
const REAL_CLIPS = ['intel_car_432p.mp4', 'bbb_720p30_a.mp4'];
const LARGEST_OUTPUT_BYTES = 1 << 28;
const TIMEOUT_MS = 120_000;

/** A fragment of a clip as `repair_vectors.py` damaged and repaired it. */
interface FragmentVector {
  readonly start: number;
  readonly end: number;
  readonly gaps: readonly Gap[];
  /** Where the picture before may be held. */
  readonly plan: readonly HoldableFrame[] | null;
  readonly sha256: string;
  readonly frames: readonly FrameReport[];
}

const folder = mkdtempSync(join(tmpdir(), 'voxel-repair-'));
afterAll(() => rmSync(folder, { recursive: true }));

function pythonVectors(...command: string[]): unknown[] {
  const result = spawnSync(PYTHON, command, { encoding: 'utf8', maxBuffer: LARGEST_OUTPUT_BYTES });
  if (result.status !== 0) throw new Error(`${PYTHON} ${command.join(' ')}: ${result.stderr || result.error?.message}`);
  return result.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

/** The clip as Python damaged it, once with each share, one process for all: to start one takes longer than its work. */
function damagedByPython(path: string, shares: readonly number[]): FragmentVector[][] {
  const damage = ['--damage', ...shares.map(String)];
  const vectors = pythonVectors(VECTORS, '--clip', path, '--seed', '7', ...damage) as FragmentVector[];
  const fragments = vectors.length / shares.length;
  return shares.map((_, place) => vectors.slice(place * fragments, (place + 1) * fragments));
}

/** Repairs the clip as Python damaged it, compares the results, and returns the repaired file with the share of its frames that it has left. */
function repairLikePython(path: string, vectors: readonly FragmentVector[]): { repaired: Buffer; left: number } {
  const file = readFileSync(path);
  const repairer = createRepairer(file.subarray(0, initEnd(file)));
  const segments = vectors.map(({ start, end, gaps, plan, sha256, frames }) => {
    const damaged = punch(file.subarray(start, end), gaps);
    const repaired = repairer.repair(damaged, receivedExcept(gaps), plan ? { kind: 'hold', frames: plan } : undefined);
    expect(repaired.frames).toEqual(frames);
    expect(createHash('sha256').update(repaired.bytes).digest('hex')).toBe(sha256);
    return repaired.bytes;
  });
  const frames = vectors.flatMap((vector) => vector.frames);
  const left = frames.filter(({ removed }) => !removed).length / frames.length;
  return { repaired: Buffer.concat([file.subarray(0, initEnd(file)), ...segments]), left };
}

describe('TypeScript and Python repair agree byte for byte', () => {
  it(`on ${REMOVALS} random segments whose missing frames are removed`, { timeout: TIMEOUT_MS }, () => {
    const vectors = pythonVectors(REMOVAL_VECTORS, '--count', String(REMOVALS), '--seed', '20') as RemovalVector[];
    expect(vectors).toHaveLength(REMOVALS);
    for (const vector of vectors) {
      expect(repairVector(vector)).toEqual(outcomeOf(vector));
    }
  });

  it(`on ${SLICES} random slices`, { timeout: TIMEOUT_MS }, () => {
    const vectors = pythonVectors(VECTORS, '--count', String(SLICES), '--seed', '20') as SliceVector[];
    expect(vectors).toHaveLength(SLICES);
    for (const vector of vectors) {
      const nal = fromHex(vector.nal);
      const header = parseSliceHeader(nal, parseParameterSets(fromHex(vector.avcc)));
      const { type, firstMacroblock, cabacInitIdc, qp, headerBits, headerBytes } = header;
      expect({ ...vector, type, firstMacroblock, cabacInitIdc, qp, headerBits, headerBytes }).toEqual(vector);
      if (vector.skipSlice === null) continue;
      const skipSlice = new SkipSliceWriter().write(nal.subarray(0, headerBytes), header, vector.macroblocks);
      expect(Buffer.from(skipSlice).toString('hex')).toBe(vector.skipSlice);
    }
  });

  it.each(SYNTHETIC_CLIPS)(
    'on $name, at 5, 30 and 100 % damage, and a strict decoder gets every frame that is left of it',
    { timeout: TIMEOUT_MS },
    (clip) => {
      const path = encodeClip(clip, folder);
      const { length } = strictDecode(readFileSync(path), Buffer.of());
      for (const vectors of damagedByPython(path, DAMAGE)) {
        const { repaired, left } = repairLikePython(path, vectors);
        expect(strictDecode(repaired, Buffer.of())).toHaveLength(Math.round(length * left));
      }
    },
  );

  for (const name of REAL_CLIPS) {
    const file = join(root, '../shared/data/videos', name);
    if (!existsSync(file)) console.warn(`left out: the comparison on ${file}, which is absent`);
    it.skipIf(!existsSync(file))(`on ${name}, every P and B slice damaged`, { timeout: TIMEOUT_MS }, () => {
      const path = join(folder, name);
      remuxClip(file, path);
      const [vectors] = damagedByPython(path, [1]);
      repairLikePython(path, vectors!);
    });
  }
});
