import { LOOKAHEAD, segmentOptions, type Option } from '../abr-star/index.js';
import { ManifestError } from '../manifest/errors.js';
import type { RepresentationMap, SegmentMap } from '../manifest/segment-map.js';

/** The options of a segment, and what they were made of. */
interface Known {
  readonly maps: readonly (SegmentMap | undefined)[];
  readonly options: Option[];
}

/** The ways to download the next segments. From one decision to the next those of a segment stay the same arrays: rules know by them what they have derived. */
export class UpcomingOptions {
  #known: Known[] = [];

  /**
   * The options of the segment at `index` and of those after it, as far as all representations that have VOXEL data for the first of them have it:
   * an index file may have been read in part only. Empty where no representation has data for the first segment.
   */
  from(ladder: readonly RepresentationMap[], index: number): Option[][] {
    const known: Known[] = [];
    let described = 0;
    while (known.length < LOOKAHEAD) {
      const maps = ladder.map((representation) => validSegment(representation, index + known.length));
      const count = maps.filter((map) => map).length;
      if (count < (described ||= count) || !count) break;
      known.push(
        this.#known.find(
          (before) => before.maps.length === maps.length && maps.every((map, place) => map === before.maps[place]),
        ) ?? { maps, options: segmentOptions(maps) },
      );
    }
    this.#known = known;
    return known.map(({ options }) => options);
  }
}

/** The same without parts of segments: over HTTP there is no choosing of frames. */
export function wholeAlone(options: readonly Option[]): Option[] {
  return options.filter(({ representation }, place) => representation !== options[place + 1]?.representation);
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
