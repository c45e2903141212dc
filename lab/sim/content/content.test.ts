import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../../../tools/setup/process.mjs';
import { constantBitrateContent } from './cbr.js';
import { preparedContent } from './prepared.js';
import { syntheticContent } from './synthetic.js';
import { withSegmentCount, type Content } from './content.js';
import { measure } from './measured.js';

const folder = mkdtempSync(join(tmpdir(), 'voxel-content-'));
afterAll(() => rmSync(folder, { recursive: true }));

function prepared(manifest: string): Content {
  writeFileSync(join(folder, 'manifest.mpd'), manifest);
  return preparedContent(folder);
}

function manifestWith(segment: string): string {
  return `<?xml version="1.0"?><MPD><Period><AdaptationSet>
<Representation id="high" bandwidth="2000" avgSSIM="0.98"><SegmentList timescale="10" duration="25">
<Initialization range="0-9"/>${segment}</SegmentList></Representation>
<Representation id="low" bandwidth='1000' avgSSIM='0.9'><SegmentList timescale="10" duration="25">${segment}</SegmentList></Representation>
</AdaptationSet><AdaptationSet><Representation id="audio" bandwidth="64"><BaseURL>a.mp4</BaseURL></Representation>
</AdaptationSet></Period></MPD>`;
}

const SEGMENT =
  '<SegmentURL mediaRange="10-109" reliable="10-29" unreliable="70-109,30-69" reliableSize="20" ssims="0.5:0:0,0.8:1:40,0.98:2:80"/>';

describe('preparedContent', () => {
  it('takes of a video in several codecs the first', () => {
    const one = manifestWith(SEGMENT);
    const [sets] = /<AdaptationSet>.*?<\/AdaptationSet>/s.exec(one)!;
    const other = sets.replaceAll('bandwidth="2000"', 'bandwidth="1500"');
    expect(prepared(one.replace('</Period>', `${other}</Period>`)).ladder).toEqual(prepared(one).ladder);
  });

  it('reads ladder, sizes and scores of a prepared video, lowest bitrate first, and leaves audio out', () => {
    const content = prepared(manifestWith(SEGMENT + SEGMENT));
    expect(content).toMatchObject({
      segmentDuration: 2.5,
      ladder: [
        { bitrate: 1000, averageScore: 0.9 },
        { bitrate: 2000, averageScore: 0.98 },
      ],
    });
    expect(content.options).toHaveLength(2);
    expect(content.options[0]!.map(({ bytes }) => bytes)).toEqual([20, 60, 100, 20, 60, 100]);
  });

  it('reads attributes in the namespace of VOXEL, whatever their prefix', () => {
    const namespaced = manifestWith(SEGMENT + SEGMENT)
      .replace('<MPD>', '<MPD xmlns:v="urn:voxel-dash:2026">')
      .replaceAll(/ (avgSSIM|reliable|unreliable|reliableSize|ssims)=/g, ' v:$1=');
    expect(prepared(namespaced)).toEqual(prepared(manifestWith(SEGMENT + SEGMENT)));
  });

  it.each([
    ['a manifest without scores', manifestWith('<SegmentURL mediaRange="0-9"/>')],
    ['no manifest at all', 'hello'],
    ['a segment with bad ranges', manifestWith(SEGMENT.replace('30-69', '30-60'))],
  ])('refuses %s in one line that names the file', (_, manifest) => {
    expect(() => prepared(manifest)).toThrow(UserError);
    expect(() => prepared(manifest)).toThrow(/^.*manifest\.mpd: .*$/);
  });

  it('refuses a folder without a manifest', () => {
    expect(() => preparedContent(join(folder, 'none'))).toThrow(/^cannot read .*none.manifest\.mpd/);
  });
});

describe('syntheticContent', () => {
  const content = syntheticContent(75, 1);
  const sizes = content.options.map((options) => options.at(-1)!.bytes / ((10e6 / 8) * 4));

  it('has the thesis’ ladder: 13 levels of 0.16 to 10 Mbit/s, each scoring higher than the one below', () => {
    expect(content.ladder.map(({ bitrate }) => bitrate / 1e6)).toEqual([
      0.16, 0.23, 0.37, 0.56, 0.75, 1.05, 1.75, 2.35, 3, 4.3, 5.8, 7.4, 10,
    ]);
    const scores = content.ladder.map(({ averageScore }) => averageScore);
    expect(scores).toEqual([...scores].sort((a, b) => a - b));
    expect(scores.at(-1)).toBe(1);
  });

  it('varies in size like Big Buck Bunny (Table 6.1: 3.77 at 10 Mbit/s), capped at twice the mean', () => {
    const mean = sizes.reduce((a, b) => a + b) / sizes.length;
    const deviation = Math.sqrt(sizes.reduce((sum, size) => sum + (size - mean) ** 2, 0) / sizes.length);
    expect(mean).toBeCloseTo(1, 1);
    expect(deviation).toBeGreaterThan(0.3);
    expect(deviation).toBeLessThan(0.45);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2);
  });

  it('has options in order, the reliable bytes first in each', () => {
    for (const options of content.options) {
      for (const { bytes, reliableBytes, score } of options) {
        expect(bytes).toBeGreaterThanOrEqual(reliableBytes);
        expect(reliableBytes).toBeGreaterThan(0);
        expect(score).toBeLessThanOrEqual(1);
      }
    }
  });

  it('is the same for the same seed only', () => {
    expect(syntheticContent(5, 3)).toEqual(syntheticContent(5, 3));
    expect(syntheticContent(5, 3)).not.toEqual(syntheticContent(5, 4));
  });
});

describe('constantBitrateContent', () => {
  it('has one whole segment of 4 s for each level', () => {
    const { options, ladder } = constantBitrateContent(3);
    expect(options[2]!.map(({ bytes }) => bytes)).toEqual(ladder.map(({ bitrate }) => bitrate / 2));
  });
});

describe('withSegmentCount', () => {
  it('cuts and repeats', () => {
    const three = syntheticContent(3, 1);
    expect(withSegmentCount(three, 2).segments).toEqual(three.segments.slice(0, 2));
    expect(withSegmentCount(three, 7).options[6]).toBe(three.options[0]);
  });
});

describe('measure', () => {
  it('keeps what synthetic content needs of a prepared clip', () => {
    const [segment] = measure(prepared(manifestWith(SEGMENT)));
    expect(segment!.levels[0]).toEqual({
      bitrate: 1000,
      score: 0.98,
      reliableShare: 0.2,
      steps: [
        [0.2, 0, 0.5102],
        [0.6, 1, 0.81633],
        [1, 2, 1],
      ],
    });
  });
});
