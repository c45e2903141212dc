import { LOOKAHEAD, segmentOptions, type Option } from '../abr-star/index.js';
import { ManifestError } from '../manifest/errors.js';
import type { RepresentationMap, SegmentMap } from '../manifest/segment-map.js';

/**
 * The ways to download the segment at `index` and those after it, as far as all representations that have VOXEL data for
 * the first of them have it: an index file may have been read in part only. `whole`: whole segments alone, as over HTTP.
 * Empty where no representation has data for the first segment.
 */
export function upcomingOptions(
  ladder: readonly RepresentationMap[],
  index: number,
  segments: 'partial' | 'whole',
): Option[][] {
  const upcoming: Option[][] = [];
  let described = 0;
  while (upcoming.length < LOOKAHEAD) {
    const maps = ladder.map((representation) => validSegment(representation, index + upcoming.length));
    const count = maps.filter((map) => map !== undefined).length;
    if (count < described) break;
    if (upcoming.length === 0) described = count;
    const options = segmentOptions(maps).filter(
      ({ representation, level }) => segments === 'partial' || level === maps[representation]!.steps.length - 1,
    );
    if (options.length === 0) break;
    upcoming.push(options);
  }
  return upcoming;
}

/** The ways to download the segment at `index`, of all representations that have VOXEL data for it. */
export function optionsAt(ladder: readonly RepresentationMap[], index: number): Option[] {
  return segmentOptions(ladder.map((representation) => validSegment(representation, index)));
}

/** Undefined where the data is bad, too: such a segment is no option, and the loader reports it if it is asked for. */
function validSegment(representation: RepresentationMap, index: number): SegmentMap | undefined {
  try {
    return representation.segment(index);
  } catch (error) {
    if (error instanceof ManifestError) return undefined;
    throw error;
  }
}
