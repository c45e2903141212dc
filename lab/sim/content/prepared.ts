import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ManifestError } from '../../../src/manifest/errors.js';
import { IndexedRepresentation } from '../../../src/manifest/indexed-representation.js';
import {
  prefixOf,
  readRepresentation,
  type DescriptorElement,
  type RepresentationElement as DashRepresentation,
  type SegmentUrlElement,
} from '../../../src/manifest/representation.js';
import type { RepresentationMap, SegmentMap } from '../../../src/manifest/segment-map.js';
import { UserError } from '../../../tools/setup/process.mjs';
import { makeContent, type Content } from './content.js';

/** An XML start tag, its attributes and its text. Enough for the manifests of `voxel-prepare`. */
const START_TAG = /<(\w+)((?:\s+[\w:]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(?:\/>|>([^<]*))/g;
const ATTRIBUTE = /([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** The video that `voxel-prepare --out FOLDER` made, in the first of its codecs. Throws a `UserError` where there is none to be read. */
export function preparedContent(folder: string): Content {
  const path = join(folder, 'manifest.mpd');
  const manifest = parseManifest(new TextDecoder().decode(readFile(path)));
  const maps =
    manifest.sets
      .map((elements) => elements.flatMap((element) => readMap(path, element, manifest.prefix) ?? []))
      .find(({ length }) => length > 0) ?? [];
  maps.sort((a, b) => a.bandwidth - b.bandwidth);
  const segmentCount = Math.min(...maps.map((map) => map.segmentCount));
  if (maps.length === 0 || segmentCount === 0)
    throw new UserError(`${path}: expected representations with scores, found none`);
  return makeContent({
    name: basename(resolve(folder)),
    segmentDuration: manifest.segmentDuration,
    ladder: maps.map(({ bandwidth, averageScore }) => ({ bitrate: bandwidth, averageScore })),
    segments: Array.from({ length: segmentCount }, (_, index) => maps.map((map) => segmentOf(path, map, index))),
  });
}

interface ManifestElements {
  /** Prefix of the namespace of VOXEL's attributes. */
  readonly prefix: string;
  readonly segmentDuration: number;
  /** The representations of each AdaptationSet. */
  readonly sets: readonly (readonly RepresentationElement[])[];
}

interface RepresentationElement extends DashRepresentation {
  baseUrl: string;
  readonly SegmentList: { readonly SegmentURL: SegmentUrlElement[] };
  readonly SupplementalProperty: DescriptorElement[];
}

function readFile(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UserError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseManifest(xml: string): ManifestElements {
  const sets: RepresentationElement[][] = [];
  let segmentDuration = NaN;
  let prefix = prefixOf({});
  for (const [, name, attributeText, text = ''] of xml.matchAll(START_TAG)) {
    const attributes = Object.fromEntries(
      [...attributeText!.matchAll(ATTRIBUTE)].map(([, key, a, b]) => [key!, a ?? b ?? '']),
    );
    const representation = sets.at(-1)?.at(-1);
    if (name === 'MPD') prefix = prefixOf(attributes);
    if (name === 'AdaptationSet') sets.push([]);
    if (name === 'Representation') {
      sets.at(-1)?.push({ ...attributes, baseUrl: '', SegmentList: { SegmentURL: [] }, SupplementalProperty: [] });
    }
    // The first addressing is the video's.
    if ((name === 'SegmentList' || name === 'SegmentTemplate') && Number.isNaN(segmentDuration)) {
      segmentDuration = Number(attributes['duration']) / Number(attributes['timescale'] ?? 1);
    }
    if (name === 'SegmentURL') representation?.SegmentList.SegmentURL.push(attributes);
    if (name === 'SupplementalProperty') representation?.SupplementalProperty.push(attributes);
    if (name === 'BaseURL' && representation) representation.baseUrl = text.trim();
  }
  return { prefix, segmentDuration, sets };
}

function readMap(path: string, element: RepresentationElement, prefix: string): RepresentationMap | undefined {
  const baseUrl = new URL(element.baseUrl, pathToFileURL(resolve(path))).href;
  const map = orUserError(path, () => readRepresentation(element, baseUrl, prefix));
  if (map instanceof IndexedRepresentation) addIndex(path, map);
  return map;
}

/** All of it at once. */
function addIndex(path: string, { index, indexUrl }: IndexedRepresentation): void {
  if (!indexUrl.startsWith('file:')) throw new UserError(`${path}: the index must be a local file, got ${indexUrl}`);
  const file = readFile(fileURLToPath(indexUrl));
  for (let range = index.missing(0, Infinity); range; range = index.missing(0, Infinity)) {
    const { start, end } = range;
    orUserError(path, () => index.add({ start, end }, file.subarray(start, end)));
  }
}

function segmentOf(path: string, map: RepresentationMap, index: number): SegmentMap {
  const segment = orUserError(path, () => map.segment(index));
  if (!segment) throw new UserError(`${path}: segment ${index} of ${map.id} has no scores`);
  return segment;
}

function orUserError<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ManifestError) throw new UserError(`${path}: ${error.message}`);
    throw error;
  }
}
