import type { PlayerRepresentation, PlayerSegment } from '../port/player-segment.js';
import { representationId } from './hls-presentation.js';
import { levelsOf, type HlsDetails, type HlsFragment, type HlsLevel, type HlsPlayer } from './hls-types.js';

/** Seconds by which the end of what is buffered may lie before the end of its segment, as hls.js counts it. */
const TOLERANCE = 0.25;

const representations = new WeakMap<HlsLevel, PlayerRepresentation>();

/** A level of hls.js as the parts that work with any player know it: the same object each time. */
export function representationOf(level: HlsLevel): PlayerRepresentation {
  const known = representations.get(level);
  if (known && Number.isFinite(known.segmentDuration)) return known;
  const representation = {
    id: representationId(level),
    bandwidth: level.averageBitrate,
    segmentDuration: level.details?.fragments[0]?.duration ?? NaN,
  };
  representations.set(level, representation);
  return representation;
}

/** Undefined for a level that the page has removed. */
export function segmentOf(hls: Pick<HlsPlayer, 'levels'>, fragment: HlsFragment): PlayerSegment | undefined {
  const level = levelsOf(hls)[fragment.level];
  if (!level || typeof fragment.sn !== 'number') return undefined;
  return {
    index: fragment.sn - (level.details?.startSN ?? 0),
    startTime: fragment.start,
    duration: fragment.duration,
    url: fragment.url,
    range: rangeOf(fragment),
    representation: representationOf(level),
  };
}

/** `first-last`, both inclusive; null: the file is the segment. */
export function rangeOf({ byteRange: [start, end] }: Pick<HlsFragment, 'byteRange'>): string | null {
  return end ? `${start ?? 0}-${end - 1}` : null;
}

/** The playlist of the level that is loaded, or of any other: all have the same segments. */
export function detailsOf(hls: Pick<HlsPlayer, 'levels' | 'loadLevel'>): HlsDetails | undefined {
  const levels = levelsOf(hls);
  return levels[hls.loadLevel]?.details ?? levels.find(({ details }) => details)?.details;
}

/** Place in the playlist of what is to be loaded with the buffer as it is; its length at the end. */
export function nextIndex(
  { fragments }: HlsDetails,
  { media, mainForwardBufferInfo }: Pick<HlsPlayer, 'media' | 'mainForwardBufferInfo'>,
): number {
  const isEmpty = !mainForwardBufferInfo || mainForwardBufferInfo.len === 0;
  const position = isEmpty ? (media?.currentTime ?? 0) : mainForwardBufferInfo.end + TOLERANCE;
  const index = fragments.findIndex(({ start, duration }) => position < start + duration);
  return index === -1 ? fragments.length : index;
}
