import { describe, expect, it } from 'vitest';
import type { DashRepresentation, FragmentRequest } from './dash-types.js';
import { Presentation, type ManifestElement } from './presentation.js';

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

describe('Presentation', () => {
  it('finds the map of a request for VOXEL data, and none for a plain one', () => {
    const presentation = new Presentation(manifest([{ Representation: [voxel] }, { Representation: [plain] }]), PAGE);
    expect(presentation.hasVoxelData).toBe(true);
    expect(presentation.origin).toBe('https://media.example');
    expect(presentation.segment(request('q00'))?.range).toEqual({ start: 1000, end: 1100 });
    expect(presentation.segment(request('a', { range: '0-9' }))).toBeUndefined();
    expect(presentation.segment(request('q00', { index: 1 }))).toBeUndefined();
  });

  it('does not take a map for other bytes than those requested', () => {
    const presentation = new Presentation(manifest([{ Representation: [voxel] }]), PAGE);
    expect(presentation.segment(request('q00', { range: '1000-1098' }))).toBeUndefined();
    expect(presentation.segment(request('q00', { range: null }))).toBeUndefined();
  });

  it('tells representations of the same name in different periods apart', () => {
    const presentation = new Presentation(
      manifest([{ Representation: [plain] }], [{ Representation: [{ ...voxel, id: 'a' }] }]),
      PAGE,
    );
    expect(presentation.segment(request('a', {}, 0))).toBeUndefined();
    expect(presentation.segment(request('a', {}, 1))).toBeDefined();
  });

  it('plays on without a representation whose attributes are bad, and says why', () => {
    const bad = { ...voxel, id: 'bad', avgSSIM: 'high' };
    const presentation = new Presentation(manifest([{ Representation: [bad, voxel] }]), PAGE);
    expect(presentation.errors).toMatchObject([{ code: 'syntax' }]);
    expect(presentation.segment(request('bad'))).toBeUndefined();
    expect(presentation.segment(request('q00'))).toBeDefined();
  });

  it('throws for a segment whose attributes are bad', () => {
    const broken = { ...voxel, SegmentList: { SegmentURL: [{ ...segmentUrl, reliable: '1000-1050' }] } };
    const presentation = new Presentation(manifest([{ Representation: [broken] }]), PAGE);
    expect(() => presentation.segment(request('q00'))).toThrow(expect.objectContaining({ name: 'ManifestError' }));
  });

  it('takes a manifest without periods or URL', () => {
    expect(new Presentation({}, PAGE)).toMatchObject({ hasVoxelData: false, origin: 'https://page.example' });
  });
});
