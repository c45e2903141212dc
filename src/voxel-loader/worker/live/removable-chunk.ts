import type { LiveChunk } from '../../../manifest/live-chunk.js';

/**
 * A chunk of a track whose missing frames are taken out, with what they need: records do not say it, so each needs those before it in
 * the order that are decoded before it.
 */
export function withNeeds(chunk: LiveChunk): LiveChunk {
  const decoded = chunk.frames.flatMap(({ index, ranges }) => ranges.map(() => index));
  return {
    ...chunk,
    needs: decoded.map((index, place) =>
      [...decoded.keys()].filter((other) => other < place && decoded[other]! < index),
    ),
  };
}
