import type { SegmentMap } from '../../../src/manifest/segment-map.js';
import { makeContent, type Content } from '../../sim/content/content.js';
import measured from '../../sim/content/measured.json' with { type: 'json' };
import type { MeasuredSegment } from '../../sim/content/measured.js';
import { layOut } from '../../sim/content/segment-layout.js';

/** Mbit/s of the representations: SafeSABR's 4K and 8K ladder. */
const LADDER = [3, 8, 15, 30, 60, 120];

export const SEGMENTS = 48;

const SEGMENT_SECONDS = 4;

export const SECONDS = SEGMENTS * SEGMENT_SECONDS;

/** From prepared clips of Big Buck Bunny, as the synthetic stream has them. */
const CLIPS = measured as unknown as readonly MeasuredSegment[];

/**
 * A stream of constant bitrate, as SafeSABR's media is. Its score is what that setting measures, Mbit/s: of a segment with frames missing,
 * those of what arrived. Where segments can be cut is as in real clips, one clip after the other.
 */
export function starlinkContent(): Content {
  return makeContent({
    name: 'starlink',
    segmentDuration: SEGMENT_SECONDS,
    ladder: LADDER.map((mbps) => ({ bitrate: 1e6 * mbps, averageScore: mbps })),
    segments: Array.from({ length: SEGMENTS }, (_, index) =>
      LADDER.map((mbps) => segmentOf(CLIPS[index % CLIPS.length]!, mbps)),
    ),
  });
}

function segmentOf({ levels }: MeasuredSegment, mbps: number): SegmentMap {
  const { reliableShare, steps } = levels.at(-1)!;
  const bytes = (1e6 * mbps * SEGMENT_SECONDS) / 8;
  const reliableBytes = Math.round(bytes * reliableShare);
  return layOut({
    reliableBytes,
    steps: steps.map(([share, frames]) => ({
      frames,
      score: mbps * share,
      bytes: Math.round(bytes * share) - reliableBytes,
    })),
  });
}
