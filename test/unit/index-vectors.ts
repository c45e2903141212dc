import { readFileSync } from 'node:fs';
import type { QualityMetric } from '../../src/manifest/segment-map.js';

type Range = readonly [start: number, end: number];

/** An index as `voxel_prepare` writes it, in hexadecimal, and what it says. */
export interface IndexVector {
  readonly name: string;
  readonly metric: QualityMetric;
  readonly index: string;
  readonly segments: readonly {
    readonly range: Range;
    readonly reliable: readonly Range[];
    readonly unreliable: readonly Range[];
    readonly steps: readonly (readonly [score: number, frames: number, bytes: number])[];
    /** By frame, in the order of importance: how many ranges, and what its loss costs. */
    readonly slices: readonly number[];
    readonly costs: readonly number[];
    readonly needs?: readonly (readonly number[])[];
    readonly reach?: readonly number[];
  }[];
}

interface IndexVectors {
  readonly good: readonly IndexVector[];
  /** Of version 1. */
  readonly old: readonly IndexVector[];
  readonly bad: readonly Pick<IndexVector, 'name' | 'index'>[];
}

/** The vectors that both languages share (manifests/tests/index_vectors.py). */
export const indexVectors = JSON.parse(
  readFileSync(new URL('../vectors/index.json', import.meta.url), 'utf8'),
) as IndexVectors;

export function bytesOf(hexadecimal: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hexadecimal, 'hex'));
}
