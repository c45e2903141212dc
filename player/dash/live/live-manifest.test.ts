import { describe, expect, test } from 'vitest';
import { askEarly, identityOf, isLiveWithRecords, type LiveManifestElement } from './live-manifest.js';

const PROPERTY = [{ schemeIdUri: 'urn:voxel-dash:live:1', value: '.vxl' }];

function manifest(change: object = {}, set: object = {}): LiveManifestElement {
  const template = {
    duration: 15_360,
    timescale: 15_360,
    availabilityTimeOffset: 0.867,
    availabilityTimeComplete: 'false',
  };
  const Representation = [{ id: 'v0', SegmentTemplate: template }, { id: 'v1' }];
  const AdaptationSet = [{ SupplementalProperty: PROPERTY, Representation, ...set }];
  return {
    type: 'dynamic',
    availabilityStartTime: new Date(1_795_000_000_000),
    Period: [{ id: 'p0', AdaptationSet }],
    ...change,
  };
}

describe('a live presentation with records', () => {
  test('is dynamic and says so, at whatever level', () => {
    expect(isLiveWithRecords(manifest())).toBe(true);
    expect(isLiveWithRecords({ type: 'dynamic', SupplementalProperty: PROPERTY })).toBe(true);
  });

  test.each([
    ['one that has ended', manifest({ type: 'static' })],
    ['one without the property', manifest({}, { SupplementalProperty: undefined })],
    ['one with another suffix', manifest({}, { SupplementalProperty: [{ ...PROPERTY[0], value: '.rec' }] })],
    ['an empty one', {}],
  ])('is not %s', (_, other) => {
    expect(isLiveWithRecords(other)).toBe(false);
  });
});

describe('an update', () => {
  test('is of the same presentation while time line, periods and representations are the same', () => {
    const same = manifest({ availabilityStartTime: '2026-11-18T11:06:40.000Z', publishTime: 'now' });
    expect(new Date('2026-11-18T11:06:40.000Z').getTime()).toBe(1_795_000_000_000);
    expect(identityOf(same)).toBe(identityOf(manifest()));
  });

  test.each([
    ['another time line', manifest({ availabilityStartTime: new Date(1_795_000_001_000) })],
    ['another period', manifest({ Period: [{ id: 'p1', AdaptationSet: manifest().Period![0]!.AdaptationSet }] })],
    ['other representations', manifest({}, { Representation: [{ id: 'v0' }] })],
  ])('is not of the same with %s', (_, other) => {
    expect(identityOf(other)).not.toBe(identityOf(manifest()));
  });
});

describe('segments are asked for when they begin', () => {
  const template = (one: LiveManifestElement) => one.Period![0]!.AdaptationSet![0]!.Representation![0]!.SegmentTemplate;

  test('where they come in chunks', () => {
    const one = manifest();
    askEarly(one);
    expect(template(one)).toMatchObject({ availabilityTimeOffset: 1 });
  });

  test('not where they come whole', () => {
    const SegmentTemplate = { duration: 2, availabilityTimeOffset: 0.5 };
    const one = manifest({}, { Representation: [{ id: 'v0', SegmentTemplate }] });
    askEarly(one);
    expect(template(one)).toMatchObject({ availabilityTimeOffset: 0.5 });
  });

  test('never later than the manifest says', () => {
    const SegmentTemplate = { duration: 1, availabilityTimeOffset: 3, availabilityTimeComplete: false };
    const one = manifest({}, { Representation: [{ id: 'v0', SegmentTemplate }] });
    askEarly(one);
    expect(template(one)).toMatchObject({ availabilityTimeOffset: 3 });
  });
});
