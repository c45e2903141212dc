import { describe, expect, it } from 'vitest';
import { IndexedRepresentation } from '../../src/manifest/indexed-representation.js';
import { bytesOf, indexVectors } from '../../test/unit/index-vectors.js';
import type { DashRepresentation, FragmentRequest } from './dash-types.js';
import { DashPresentation, type ManifestElement } from './presentation.js';

const PAGE = 'https://page.example/player/';

/** One segment of 100 bytes, the second half of it unreliable. */
const segmentUrl = {
  mediaRange: '1000-1099',
  reliable: '1000-1049',
  unreliable: '1050-1099',
  ssims: '0.8:0:0,1:1:50',
  reliableSize: 50,
};
const voxel = { id: 'q00', bandwidth: 1000, avgSSIM: 0.9, SegmentList: { SegmentURL: [segmentUrl] } };
const plain = { id: 'a', bandwidth: 1000, SegmentList: { SegmentURL: [{ mediaRange: '0-9' }] } };

function manifest(
  ...periods: NonNullable<NonNullable<ManifestElement['Period']>[number]['AdaptationSet']>[]
): ManifestElement {
  return { url: 'https://media.example/bbb/manifest.mpd', Period: periods.map((AdaptationSet) => ({ AdaptationSet })) };
}

function request(id: string, changes: Partial<FragmentRequest> = {}, period = 0): FragmentRequest {
  const representation = { id, adaptation: { period: { index: period } } } as DashRepresentation;
  return { index: 0, range: '1000-1099', representation, ...changes } as FragmentRequest;
}

describe('DashPresentation', () => {
  it('finds the map of a request for VOXEL data, and none for a plain one', () => {
    const presentation = new DashPresentation(
      manifest([{ Representation: [voxel] }, { Representation: [plain] }]),
      PAGE,
    );
    expect(presentation.hasVoxelData).toBe(true);
    expect(presentation.origin).toBe('https://media.example');
    expect(presentation.segment(request('q00'))?.range).toEqual({ start: 1000, end: 1100 });
    expect(presentation.segment(request('a', { range: '0-9' }))).toBeUndefined();
    expect(presentation.segment(request('q00', { index: 1 }))).toBeUndefined();
  });

  it('knows the rate of the audio that a player begins with', () => {
    const [low, high] = [
      { ...plain, bandwidth: 48_000 },
      { ...plain, bandwidth: 96_000 },
    ];
    const audioRateOf = (...sets: Parameters<typeof manifest>[0][number][]): number =>
      new DashPresentation(manifest([{ Representation: [voxel] }, ...sets]), PAGE).audioRate;
    expect(audioRateOf({ contentType: 'audio', Representation: [high, low] })).toBe(48_000);
    expect(audioRateOf({ mimeType: 'audio/mp4', Representation: [high] })).toBe(96_000);
    expect(audioRateOf({ Representation: [{ ...low, mimeType: 'audio/mp4' }] })).toBe(48_000);
    expect(audioRateOf({ contentType: 'audio', Representation: [] })).toBe(0);
    expect(audioRateOf({ contentType: 'text', Representation: [low] })).toBe(0);
    expect(new DashPresentation({ url: 'https://media.example/a.mpd' }, PAGE).audioRate).toBe(0);
  });

  it('reads attributes with the prefix that the manifest declares for the namespace of VOXEL', () => {
    const namespaced = { id: 'q00', bandwidth: 1000, 'v:avgSSIM': 0.9 };
    const { mediaRange, reliable, unreliable, ssims, reliableSize } = segmentUrl;
    const described = { 'v:reliable': reliable, 'v:unreliable': unreliable, 'v:ssims': ssims };
    const SegmentList = { SegmentURL: [{ mediaRange, ...described, 'v:reliableSize': reliableSize }] };
    const root = { ...manifest([{ Representation: [{ ...namespaced, SegmentList }] }]) };
    const declared = { ...root, 'xmlns:v': 'urn:voxel-dash:2026' };
    expect(new DashPresentation(declared, PAGE).segment(request('q00'))?.reliableBytes).toBe(50);
    expect(new DashPresentation(root, PAGE).hasVoxelData).toBe(false);
  });

  it('does not take a map for other bytes than those requested', () => {
    const presentation = new DashPresentation(manifest([{ Representation: [voxel] }]), PAGE);
    expect(presentation.segment(request('q00', { range: '1000-1098' }))).toBeUndefined();
    expect(presentation.segment(request('q00', { range: null }))).toBeUndefined();
  });

  it('tells representations of the same name in different periods apart', () => {
    const presentation = new DashPresentation(
      manifest([{ Representation: [plain] }], [{ Representation: [{ ...voxel, id: 'a' }] }]),
      PAGE,
    );
    expect(presentation.segment(request('a', {}, 0))).toBeUndefined();
    expect(presentation.segment(request('a', {}, 1))).toBeDefined();
  });

  it('plays on without a representation whose attributes are bad, and says why', () => {
    const bad = { ...voxel, id: 'bad', avgSSIM: 'high' };
    const presentation = new DashPresentation(manifest([{ Representation: [bad, voxel] }]), PAGE);
    expect(presentation.errors).toMatchObject([{ code: 'syntax' }]);
    expect(presentation.segment(request('bad'))).toBeUndefined();
    expect(presentation.segment(request('q00'))).toBeDefined();
  });

  it('throws for a segment whose attributes are bad', () => {
    const broken = { ...voxel, SegmentList: { SegmentURL: [{ ...segmentUrl, reliable: '1000-1050' }] } };
    const presentation = new DashPresentation(manifest([{ Representation: [broken] }]), PAGE);
    expect(() => presentation.segment(request('q00'))).toThrow(expect.objectContaining({ name: 'ManifestError' }));
  });

  it('takes a manifest without periods or URL', () => {
    expect(new DashPresentation({}, PAGE)).toMatchObject({ hasVoxelData: false, origin: 'https://page.example' });
  });

  describe('with indexes', () => {
    const SupplementalProperty = [{ schemeIdUri: 'urn:voxel-dash:index:2', value: 'q00.index' }];
    const indexed = { id: 'q00', bandwidth: 1000, avgSSIM: 0.9, SupplementalProperty };

    function indexOf(presentation: DashPresentation): IndexedRepresentation {
      const { representation } = request('q00');
      const map = presentation.representation(representation!);
      if (!(map instanceof IndexedRepresentation)) throw new Error('not indexed');
      return map;
    }

    it('looks for an index where the media are, by every BaseURL on the way', () => {
      const { url } = manifest();
      const locate = (...[mpd, period, set, element]: NonNullable<ManifestElement['BaseURL']>[]): string => {
        const sets = [{ BaseURL: set, Representation: [{ ...indexed, BaseURL: element }] }];
        const Period = [{ BaseURL: period, AdaptationSet: sets }];
        return indexOf(new DashPresentation({ url, BaseURL: mpd, Period }, PAGE)).indexUrl;
      };
      expect(locate()).toBe('https://media.example/bbb/q00.index');
      expect(locate([], [], [], ['video/q00.mp4'])).toBe('https://media.example/bbb/video/q00.index');
      expect(locate(['/all/', 'https://second.example/'], [{ __text: ' one/ ' }], ['video/'])).toBe(
        'https://media.example/all/one/video/q00.index',
      );
      expect(locate(['https://cdn.example/x/'], ['https://'])).toBe('https://cdn.example/x/q00.index');
    });

    it('knows a segment as soon as its index is here', () => {
      const presentation = new DashPresentation(manifest([{ Representation: [indexed] }]), PAGE);
      expect(presentation.hasVoxelData).toBe(true);
      expect(presentation.segment(request('q00', { range: '757-6957' }))).toBeUndefined();
      addVector(presentation, 'one frame');
      expect(presentation.segment(request('q00', { range: '757-6957' }))).toMatchObject({ steps: [{}, {}] });
      expect(presentation.segment(request('q00', { range: '757-6956' }))).toBeUndefined();
      expect(presentation.segment(request('q00', { range: null }))).toBeUndefined();
    });

    it('knows a segment that is a file of its own, which has no range', () => {
      const presentation = new DashPresentation(manifest([{ Representation: [indexed] }]), PAGE);
      addVector(presentation, 'nothing may be missing');
      expect(presentation.segment(request('q00', { range: null }))).toMatchObject({ range: { start: 0, end: 900 } });
      expect(presentation.segment(request('q00', { range: '0-899' }))).toBeDefined();
      expect(presentation.segment(request('q00', { range: '0-898' }))).toBeUndefined();
    });

    function addVector(presentation: DashPresentation, name: string): void {
      const bytes = bytesOf(indexVectors.good.find((vector) => vector.name === name)!.index);
      indexOf(presentation).index.add({ start: 0, end: bytes.length }, bytes);
    }
  });
});
