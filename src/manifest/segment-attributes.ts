import { totalBytes, type ByteRange } from './byte-range.js';
import { ManifestError } from './errors.js';
import { MAX_SEGMENT_BYTES } from './limits.js';
import type { QualityStep, SegmentMap } from './segment-map.js';

/** The VOXEL attributes of one `SegmentURL`, as text; `scores` is `ssims`, `psnrs` or `vmafs`. */
export interface SegmentAttributes {
  readonly mediaRange: string;
  readonly reliable: string;
  readonly unreliable: string;
  readonly reliableSize: string;
  readonly scores: string;
}

/** Parses and checks one segment, so that every invariant documented at `SegmentMap` holds. Throws `ManifestError`. */
export function parseSegment(attributes: SegmentAttributes): SegmentMap {
  const range = parseRange(attributes.mediaRange, 'mediaRange');
  if (range.end - range.start > MAX_SEGMENT_BYTES)
    throw new ManifestError(
      'size',
      `mediaRange: a segment must have at most ${MAX_SEGMENT_BYTES} bytes, got ${range.end - range.start}`,
    );
  const reliable = parseRanges(attributes.reliable, 'reliable');
  const unreliable = parseRanges(attributes.unreliable, 'unreliable');
  checkPartition(range, reliable, unreliable);
  const reliableBytes = totalBytes(reliable);
  if (parseInteger(attributes.reliableSize, 'reliableSize') !== reliableBytes) {
    throw new ManifestError(
      'ranges',
      `reliableSize must be ${reliableBytes}, the sum of the ranges, got ${attributes.reliableSize}`,
    );
  }
  const steps = parseSteps(attributes.scores);
  checkSteps(steps, unreliable);
  return { range, reliable, unreliable, reliableBytes, steps };
}

function parseRanges(text: string, name: string): ByteRange[] {
  return text === '' ? [] : text.split(',').map((part) => parseRange(part, name));
}

/** `first-last`, both inclusive, as in `mediaRange` and the HTTP `Range` field. */
function parseRange(text: string, name: string): ByteRange {
  const [start, last, ...rest] = text.split('-').map(toInteger);
  if (start === undefined || last === undefined || rest.length > 0) {
    throw new ManifestError('syntax', `${name} must have the form first-last, got ${quote(text)}`);
  }
  if (last < start) throw new ManifestError('syntax', `${name}: the range ${quote(text)} ends before it starts`);
  return { start, end: last + 1 };
}

function parseInteger(text: string, name: string): number {
  const value = toInteger(text);
  if (value === undefined) throw new ManifestError('syntax', `${name} must be a whole number, got ${quote(text)}`);
  return value;
}

function toInteger(text: string): number | undefined {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(value + 1) ? value : undefined;
}

/** `score:frames:bytes,…` */
function parseSteps(text: string): QualityStep[] {
  return text.split(',').map((part) => {
    const [score = '', frames = '', bytes = '', ...rest] = part.split(':');
    if (rest.length > 0 || bytes === '' || !/^-?\d+(\.\d+)?$/.test(score) || !Number.isFinite(Number(score))) {
      throw new ManifestError('syntax', `scores must have the form score:frames:bytes, got ${quote(part)}`);
    }
    return {
      score: Number(score),
      frames: parseInteger(frames, 'scores'),
      bytes: parseInteger(bytes, 'scores'),
    };
  });
}

/** `reliable` is in file order and not empty (the moof box is in it), and with `unreliable` it holds every byte of the segment exactly once. */
function checkPartition(range: ByteRange, reliable: readonly ByteRange[], unreliable: readonly ByteRange[]): void {
  if (reliable.length === 0) throw new ManifestError('ranges', 'reliable must have at least one range');
  if (reliable.some(({ start }, index) => index > 0 && start < reliable[index - 1]!.end)) {
    throw new ManifestError('ranges', 'reliable must be in file order');
  }
  let at = range.start;
  for (const { start, end } of [...reliable, ...unreliable].sort((a, b) => a.start - b.start)) {
    if (start !== at) {
      throw new ManifestError(
        'ranges',
        `byte ${Math.min(start, at)} is ${start < at ? 'in two ranges' : 'in no range'}`,
      );
    }
    at = end;
  }
  if (at !== range.end) throw new ManifestError('ranges', `the ranges end at ${at}, the segment at ${range.end}`);
}

function checkSteps(steps: readonly QualityStep[], unreliable: readonly ByteRange[]): void {
  let position = 0;
  let range = 0;
  steps.forEach(({ frames, bytes }, index) => {
    const previous = steps[index - 1];
    if (previous && (frames <= previous.frames || bytes <= previous.bytes)) {
      throw new ManifestError('steps', `scores: step ${index} must have more frames and bytes than the step before`);
    }
    while (position < bytes && range < unreliable.length) position += totalBytes([unreliable[range++]!]);
    if (position !== bytes) throw new ManifestError('steps', `scores: step ${index} must end where a range ends`);
  });
  if (range < unreliable.length) throw new ManifestError('steps', 'scores: the last step must be the whole segment');
}

/** Enough of a hostile attribute to recognise it by, in one line. */
function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
