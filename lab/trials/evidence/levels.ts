import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';
import { readJsonLines } from '../../sim/report/json-lines.js';

/** File that `npm run bench -- frames` writes. */
export const LEVELS = 'docs/results/frames/levels.jsonl';

/** What may be missing in an order at a target. */
export interface Droppable {
  readonly frames: number;
  /** Those of them to which others may refer. */
  readonly referenced: number;
  readonly bytes: number;
  /** How many of the frames lie in each third of the segment, in decode order. */
  readonly thirds: readonly number[];
}

export type FrameOrder = 'original' | 'unreferenced' | 'summed' | 'chained' | 'measured';

export interface LevelSegment {
  readonly bytes: number;
  /** SSIM of the whole segment against the top level. */
  readonly score: number;
  readonly frames: number;
  readonly referenced: number;
  /** What is missing, by order and target, such as `.droppable.original['0.99']`: frames, referenced, bytes, thirds. */
  readonly droppable: Readonly<Partial<Record<FrameOrder, Readonly<Record<string, readonly number[]>>>>>;
}

/** A line: one clip at one level. */
export interface Level {
  readonly clip: string;
  readonly level: 'low' | 'next' | 'top';
  readonly indexBytes: number;
  readonly segments: readonly LevelSegment[];
}

/** The kept lines; none where there is no file. */
export function keptLevels(): readonly Level[] {
  const path = join(root, LEVELS);
  return existsSync(path) ? readJsonLines<Level>(path, 'the levels of a segment') : [];
}

/** Undefined: the whole segment does not reach the target, or the order was not measured. */
export function droppable({ droppable }: LevelSegment, order: FrameOrder, target: number): Droppable | undefined {
  const found = droppable[order]?.[String(target)];
  if (!found) return undefined;
  const [frames, referenced, bytes, ...thirds] = found as [number, number, number, ...number[]];
  return { frames, referenced, bytes, thirds };
}

/** In the order that saves most bytes, as the thesis chooses it. */
export function mostDroppable(segment: LevelSegment, target: number): Droppable | undefined {
  const orders = Object.keys(segment.droppable) as FrameOrder[];
  const all = orders.map((order) => droppable(segment, order, target)).filter((found) => found !== undefined);
  return all.length > 0 ? all.reduce((most, other) => (other.bytes > most.bytes ? other : most)) : undefined;
}
