import { describe, expect, it } from 'vitest';
import { ManifestError } from './errors.js';
import { IndexedRepresentation } from './indexed-representation.js';
import {
  prefixOf,
  readRepresentation as readFrom,
  type RepresentationElement,
  type SegmentUrlElement,
} from './representation.js';
import type { RepresentationMap } from './segment-map.js';

const url: SegmentUrlElement = {
  mediaRange: '0-9',
  reliable: '0-3',
  unreliable: '4-9',
  reliableSize: 4,
  ssims: '0.9:0:0,1.0:1:6',
};

function representation(change: RepresentationElement = {}): RepresentationElement {
  return { id: 'q03', bandwidth: 560_000, avgSSIM: 0.97, SegmentList: { SegmentURL: [url] }, ...change };
}

const BASE = 'https://media.example/bbb/q03.mp4';

function readRepresentation(element: RepresentationElement): RepresentationMap | undefined {
  return readFrom(element, BASE, 'voxel');
}

describe('readRepresentation', () => {
  it('reads attributes that dash.js turned into numbers, and those it left as text', () => {
    const numbers = readRepresentation(representation());
    const text = readRepresentation(
      representation({
        bandwidth: '560000',
        avgSSIM: '0.97',
        SegmentList: { SegmentURL: [{ ...url, reliableSize: '4' }] },
      }),
    );
    for (const map of [numbers, text]) {
      expect(map).toMatchObject({ id: 'q03', metric: 'ssim', averageScore: 0.97, bandwidth: 560_000, segmentCount: 1 });
      expect(map?.segment(0)).toMatchObject({ reliableBytes: 4, range: { start: 0, end: 10 } });
    }
  });

  it('gives undefined for a representation without VOXEL attributes', () => {
    expect(readRepresentation({ id: 'audio', bandwidth: 128_000 })).toBeUndefined();
    expect(
      readRepresentation(representation({ SegmentList: { SegmentURL: [{ mediaRange: '0-9' }] } })),
    ).toBeUndefined();
    expect(readRepresentation(representation({ avgSSIM: undefined }))).toBeUndefined();
  });

  it('gives undefined for a plain segment among others, and past the last', () => {
    const map = readRepresentation(representation({ SegmentList: { SegmentURL: [{ mediaRange: '0-9' }, url] } }));
    expect(map?.segment(0)).toBeUndefined();
    expect(map?.segment(1)).toBeDefined();
    expect(map?.segment(2)).toBeUndefined();
    expect(map?.segment(-1)).toBeUndefined();
  });

  it.each([
    ['psnr', { avgPSNR: 41.2 }, { psnrs: '30.5:0:0,45:1:6' }],
    ['vmaf', { avgVMAF: 88 }, { vmafs: '60:0:0,95:1:6' }],
  ] as const)('takes another metric: %s', (metric, average, scores) => {
    const map = readRepresentation(
      representation({
        avgSSIM: undefined,
        ...average,
        SegmentList: { SegmentURL: [{ ...url, ssims: undefined, ...scores }] },
      }),
    );
    expect(map?.metric).toBe(metric);
    expect(map?.segment(0)?.steps).toHaveLength(2);
  });

  it.each(['voxel', 'x'])('reads attributes in the namespace of VOXEL, with the prefix %s', (prefix) => {
    const within = (attributes: object) =>
      Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`${prefix}:${name}`, value as unknown]));
    const { mediaRange, ...described } = url;
    const element = representation({
      avgSSIM: undefined,
      ...within({ avgSSIM: 0.97 }),
      SegmentList: { SegmentURL: [{ mediaRange, ...within(described) }, { mediaRange: '10-19' }] },
    });
    const map = readFrom(element, BASE, prefix);
    expect(map).toMatchObject({ metric: 'ssim', averageScore: 0.97, segmentCount: 2 });
    expect(map?.segment(0)).toEqual(readRepresentation(representation())?.segment(0));
    expect(map?.segment(1)).toBeUndefined();
    expect(readFrom(element, BASE, 'other')).toBeUndefined();
  });

  it('takes an attribute in the namespace before one without', () => {
    expect(readRepresentation(representation({ 'voxel:avgSSIM': '0.5' }))?.averageScore).toBe(0.5);
  });

  it('throws for a bad segment only when that segment is asked for', () => {
    const bad = { ...url, unreliable: '4-8' };
    const map = readRepresentation(representation({ SegmentList: { SegmentURL: [url, bad] } }));
    expect(map?.segment(0)).toBeDefined();
    expect(() => map?.segment(1)).toThrow(ManifestError);
  });

  it('parses a segment once', () => {
    const map = readRepresentation(representation());
    expect(map?.segment(0)).toBe(map?.segment(0));
  });

  it('refuses numbers that are none', () => {
    expect(() => readRepresentation(representation({ avgSSIM: 'good' }))).toThrow(ManifestError);
    expect(() => readRepresentation(representation({ bandwidth: '' }))).toThrow(ManifestError);
    expect(() => readRepresentation(representation({ bandwidth: undefined }))).toThrow(ManifestError);
  });

  describe('with an index', () => {
    const property = { schemeIdUri: 'urn:voxel-dash:index:2', value: 'q03.index' };
    const others = [{ schemeIdUri: 'urn:mpeg:dash:other', value: '1' }, property];

    it('finds where the index lies, for any addressing of segments', () => {
      const plainList = { SegmentURL: [{ mediaRange: '0-9' }] };
      for (const SegmentList of [undefined, plainList]) {
        const map = readRepresentation(representation({ SegmentList, SupplementalProperty: others }));
        expect(map).toBeInstanceOf(IndexedRepresentation);
        expect(map).toMatchObject({ indexUrl: 'https://media.example/bbb/q03.index', metric: 'ssim', segmentCount: 0 });
        expect(map?.segment(0)).toBeUndefined();
      }
    });

    it('takes an index of the first version, and a later one before it', () => {
      const old = { schemeIdUri: 'urn:voxel-dash:index:1', value: 'old.index' };
      const found = (...SupplementalProperty: object[]) =>
        readRepresentation(representation({ SegmentList: undefined, SupplementalProperty }));
      expect(found(old)).toMatchObject({ indexUrl: 'https://media.example/bbb/old.index' });
      expect(found(old, property)).toMatchObject({ indexUrl: 'https://media.example/bbb/q03.index' });
    });

    it('takes the attributes where there are both', () => {
      const map = readRepresentation(representation({ SupplementalProperty: [property] }));
      expect(map?.segment(0)).toBeDefined();
      expect(map).not.toBeInstanceOf(IndexedRepresentation);
    });

    it('plays without an index whose metric is not stated', () => {
      const element = representation({ avgSSIM: undefined, SegmentList: undefined, SupplementalProperty: others });
      expect(readRepresentation(element)).toBeUndefined();
    });

    it('refuses a URL that is none', () => {
      const bad = { ...property, value: 'https://' };
      const element = representation({ SegmentList: undefined, SupplementalProperty: [bad] });
      expect(() => readRepresentation(element)).toThrow(ManifestError);
    });
  });
});

describe('prefixOf', () => {
  it.each([
    [{ xmlns: 'urn:mpeg:dash:schema:mpd:2011', 'xmlns:v': 'urn:voxel-dash:2026' }, 'v'],
    [{ 'xmlns:voxel': 'urn:voxel-dash:2026' }, 'voxel'],
    [{ 'xmlns:v': 'urn:other' }, 'voxel'],
    [{}, 'voxel'],
  ])('finds the prefix that %j declares, or takes the usual one', (root, prefix) => {
    expect(prefixOf(root)).toBe(prefix);
  });
});
