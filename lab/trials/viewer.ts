import type { Fields } from './fields.js';

/** What a viewer does who does not watch a video from its beginning to its end. */
export interface ViewerSpec {
  /** Media time at which playback is left, s; undefined: the end of the video, or of what the viewer does. */
  readonly seconds: number | undefined;
  /** How often the viewer jumps to a place of which nothing is buffered. 0: never. */
  readonly seeks: number;
}

/** Media seconds that are watched before the first jump and behind each, so that what follows the first picture shows whether it keeps up. */
export const WATCHED_SECONDS = 2;

/** Who has seen nothing for so long gives up, and counts as having waited that many seconds. */
export const PATIENCE = 60;

const MOST_SEEKS = 1000;

/** `viewer` of a configuration; undefined: the whole video is watched. */
export function viewerSpec(fields: Fields): ViewerSpec | undefined {
  if (!fields.has('viewer')) return undefined;
  const own = fields.object('viewer', {});
  const seconds = own.optionalNumber('seconds', { low: 1, high: 86_400 });
  const seeks = own.integer('seeks', { low: 0, high: MOST_SEEKS, absent: 0 });
  own.end();
  return { seconds, seeks };
}
