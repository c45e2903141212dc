import { describe, expect, it, vi } from 'vitest';
import { IndexedRepresentation } from '../../src/manifest/indexed-representation.js';
import { indexSchemes } from '../../src/manifest/representation.js';
import type { SegmentMap } from '../../src/manifest/segment-map.js';
import { HlsPresentation } from './hls-presentation.js';
import type { HlsLevel } from './hls-types.js';

const ORIGIN = 'https://media.example';

function level(id: string | undefined, uri = `${ORIGIN}/film/${id}.m3u8`): HlsLevel {
  return { uri, attrs: { 'STABLE-VARIANT-ID': id }, codecSet: 'avc1', averageBitrate: 1000, loadError: 0 };
}

const dataOf = (values: Record<string, string>, scheme: string = indexSchemes[0]) =>
  Object.fromEntries(Object.entries(values).map(([id, VALUE]) => [`${scheme}:${id}`, { VALUE }]));

const named = (id: string) => ({ id, bandwidth: 1000, segmentDuration: 4 });

describe('HlsPresentation', () => {
  it('finds the index of each level that the session data name, relative to its playlist', () => {
    const sessionData = dataOf({ q00: 'avgSSIM=0.9 index=q00.1a.index', q01: 'index=other/q01.index avgSSIM=0.95' });
    const presentation = new HlsPresentation({ levels: [level('q00'), level('q01'), level('q02')], sessionData });
    expect(presentation).toMatchObject({ hasVoxelData: true, origin: ORIGIN, errors: [] });
    const maps = ['q00', 'q01'].map((id) => presentation.representation(named(id)) as IndexedRepresentation);
    expect(maps).toMatchObject([
      { id: 'q00', metric: 'ssim', averageScore: 0.9, bandwidth: 1000, indexUrl: `${ORIGIN}/film/q00.1a.index` },
      { id: 'q01', averageScore: 0.95, indexUrl: `${ORIGIN}/film/other/q01.index` },
    ]);
    expect(presentation.representation(named('q02'))).toBeUndefined();
  });

  it('takes session data of the first version, and of a later one before them', () => {
    const old = dataOf({ q00: 'avgSSIM=0.9 index=old.index', q01: 'avgSSIM=0.9 index=old.index' }, indexSchemes[1]);
    const sessionData = { ...old, ...dataOf({ q01: 'avgSSIM=0.9 index=new.index' }) };
    const presentation = new HlsPresentation({ levels: [level('q00'), level('q01')], sessionData });
    const urls = ['q00', 'q01'].map((id) => (presentation.representation(named(id)) as IndexedRepresentation).indexUrl);
    expect(urls).toEqual([`${ORIGIN}/film/old.index`, `${ORIGIN}/film/new.index`]);
  });

  it('has of a segment what the index says if its byte range is the same, or if both are a file', () => {
    const sessionData = dataOf({ q00: 'avgSSIM=0.9 index=q00.index' });
    const presentation = new HlsPresentation({ levels: [level('q00')], sessionData });
    const found = (range: string | null, start: number) => {
      const map = { range: { start, end: start + 100 } } as SegmentMap;
      vi.spyOn(presentation.representation(named('q00'))!, 'segment').mockReturnValue(map);
      const segment = { index: 0, startTime: 0, duration: 4, url: `${ORIGIN}/film/q00.mp4` };
      return presentation.segment({ ...segment, range, representation: named('q00') }) === map;
    };
    expect(found('700-799', 700)).toBe(true);
    expect(found('700-798', 700)).toBe(false);
    expect(found(null, 0)).toBe(true);
    expect(found(null, 700)).toBe(false);
  });

  it.each([
    ['no session data', null],
    ['those of somebody else', { 'com.example.title': { VALUE: 'A film' } }],
    ['no score', dataOf({ q00: 'index=q00.index' })],
    ['no value', { [`${indexSchemes[0]}:q00`]: {} }],
  ])('has no VOXEL data where there are %s', (_, sessionData) => {
    const levels = [level('q00'), level(undefined)];
    expect(new HlsPresentation({ levels, sessionData })).toMatchObject({ hasVoxelData: false, errors: [] });
  });

  it.each([
    ['that says so', { 'urn:voxel-dash:live:1': { VALUE: '.vxl' } }, true],
    ['with records of another kind', { 'urn:voxel-dash:live:1': { VALUE: '.other' } }, false],
    ['without session data', null, false],
  ])('is of segments that grow in a playlist %s', (_, sessionData, isGrowing) => {
    expect(new HlsPresentation({ levels: [level('v0')], sessionData })).toMatchObject({
      isGrowing,
      hasVoxelData: false,
    });
  });

  it('says what is wrong with a level, and has the others', () => {
    const sessionData = dataOf({ q00: 'avgSSIM=good index=q00.index', q01: 'avgSSIM=0.9 index=q01.index' });
    const presentation = new HlsPresentation({ levels: [level('q00'), level('q01')], sessionData });
    expect(presentation.errors).toMatchObject([{ message: 'avgSSIM must be a number, got "good"' }]);
    expect(presentation.representation(named('q00'))).toBeUndefined();
    expect(presentation.representation(named('q01'))).toBeDefined();
  });
});
