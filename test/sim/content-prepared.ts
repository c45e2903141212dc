import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ManifestError } from '../../src/manifest/errors.js';
import { readRepresentation, type SegmentUrlElement } from '../../src/manifest/representation.js';
import type { RepresentationMap } from '../../src/manifest/segment-map.js';
import { UserError } from '../../tools/setup/process.mjs';
import { makeContent, type Content } from './content.js';

/** An XML start tag and its attributes. Enough for the manifests of `voxel-prepare`, which hold no text with '<' or '>'. */
const START_TAG = /<(\w+)((?:\s+[\w:]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/?>/g;
const ATTRIBUTE = /([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** The video that `voxel-prepare --out FOLDER` made. Throws a `UserError` where there is none to be read. */
export function preparedContent(folder: string): Content {
  const path = join(folder, 'manifest.mpd');
  const manifest = parseManifest(readManifest(path));
  const maps = manifest.representations.flatMap((element) => readMap(path, element) ?? []);
  maps.sort((a, b) => a.bandwidth - b.bandwidth);
  const segmentCount = Math.min(...maps.map((map) => map.segmentCount));
  if (maps.length === 0 || segmentCount === 0) throw new UserError(`${path}: no representation with scores in it`);
  return makeContent({
    name: basename(resolve(folder)),
    segmentDuration: manifest.segmentDuration,
    ladder: maps.map(({ bandwidth, averageScore }) => ({ bitrate: bandwidth, averageScore })),
    segments: Array.from({ length: segmentCount }, (_, index) => maps.map((map) => segmentOf(path, map, index))),
  });
}

interface ManifestElements {
  readonly segmentDuration: number;
  readonly representations: readonly RepresentationElement[];
}

interface RepresentationElement extends Record<string, unknown> {
  readonly SegmentList: { readonly SegmentURL: SegmentUrlElement[] };
}

function readManifest(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseManifest(xml: string): ManifestElements {
  const representations: RepresentationElement[] = [];
  let segmentDuration = NaN;
  for (const [, name, text] of xml.matchAll(START_TAG)) {
    const attributes = Object.fromEntries([...text!.matchAll(ATTRIBUTE)].map(([, key, a, b]) => [key!, a ?? b ?? '']));
    if (name === 'Representation') representations.push({ ...attributes, SegmentList: { SegmentURL: [] } });
    // The first list is the video's.
    if (name === 'SegmentList' && Number.isNaN(segmentDuration)) {
      segmentDuration = Number(attributes['duration']) / Number(attributes['timescale'] ?? 1);
    }
    if (name === 'SegmentURL') representations.at(-1)?.SegmentList.SegmentURL.push(attributes);
  }
  return { segmentDuration, representations };
}

function readMap(path: string, element: RepresentationElement): RepresentationMap | undefined {
  return orUserError(path, () => readRepresentation(element));
}

function segmentOf(path: string, map: RepresentationMap, index: number) {
  const segment = orUserError(path, () => map.segment(index));
  if (!segment) throw new UserError(`${path}: segment ${index} of ${map.id} has no scores`);
  return { reliableBytes: segment.reliableBytes, steps: segment.steps };
}

function orUserError<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ManifestError) throw new UserError(`${path}: ${error.message}`);
    throw error;
  }
}
