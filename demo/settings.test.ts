import { describe, expect, it } from 'vitest';
import { defaultSettings, parseSettings, voxelOptions } from './settings.js';

const parse = (query: string) => parseSettings(new URL(`http://127.0.0.1:8080/?${query}`));

describe('parseSettings', () => {
  it('gives the defaults for an empty query', () => {
    expect(parse('')).toEqual({ settings: defaultSettings, problems: [] });
  });

  it('reads every setting', () => {
    const { settings, problems } = parse(
      'manifest=/a/b.mpd&rule=bola-ssim&buffer=2&delivery=streams&refetch=0&autoplay=1',
    );
    expect(settings).toEqual({
      manifest: '/a/b.mpd',
      rule: 'bola-ssim',
      buffer: 2,
      delivery: 'streams',
      refetch: false,
      autoplay: true,
    });
    expect(problems).toEqual([]);
  });

  it.each(['0', '8', '1.5', '-1', 'seven', '', '1e9', 'NaN'])(
    'refuses buffer=%s with one line and keeps 7',
    (value) => {
      const { settings, problems } = parse(`buffer=${value}`);
      expect(settings.buffer).toBe(7);
      expect(problems).toEqual([`buffer must be a whole number from 1 to 7, got ${value}: using 7`]);
    },
  );

  it('refuses an unknown rule and an unknown delivery, one line each', () => {
    const { settings, problems } = parse('rule=best&delivery=pigeon');
    expect(settings).toEqual(defaultSettings);
    expect(problems).toEqual([
      expect.stringMatching(/^rule must be one of abr-star, .*bola-e, .*dashjs, got best: using abr-star$/),
      'delivery must be one of auto, datagrams, streams, http, plain, got pigeon: using auto',
    ]);
  });

  it.each(['http://', 'javascript:alert(1)', 'file:///etc/hosts'])('refuses %s as a manifest', (manifest) => {
    const { settings, problems } = parse(`manifest=${encodeURIComponent(manifest)}`);
    expect(settings.manifest).toBe('/media/manifest.mpd');
    expect(problems).toEqual([`manifest must be an http or https address, got ${manifest}: using /media/manifest.mpd`]);
  });

  it('takes an empty manifest as the default', () => {
    expect(parse('manifest=').settings.manifest).toBe('/media/manifest.mpd');
  });
});

describe('voxelOptions', () => {
  it('attaches nothing for plain dash.js', () => {
    expect(voxelOptions({ ...defaultSettings, delivery: 'plain' })).toBeUndefined();
    expect(voxelOptions({ ...defaultSettings, delivery: 'auto' })).not.toHaveProperty('delivery');
  });

  it('passes the rest on', () => {
    expect(voxelOptions({ ...defaultSettings, rule: 'dashjs', buffer: 1, delivery: 'http' })).toEqual({
      abr: 'dashjs',
      bufferSegments: 1,
      delivery: 'http',
      refetch: true,
    });
  });
});
