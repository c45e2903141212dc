import { LOW_BUFFER } from './bola.js';
import { waitForRoom, type BufferState } from '../../src/abr-star/buffer.js';

/** The part of the buffer that BOLA-E only imagines, and the pause before the next request; seconds. */
export interface Settled {
  readonly placeholder: number;
  readonly delay: number;
}

/**
 * What a choice leaves of the placeholder (BOLA-E; Spiteri et al., "From Theory to Practice"). Buffer and placeholder
 * together must not exceed `zeroScoreLevel`, above which BOLA would not download: first the placeholder shrinks, and
 * what it cannot give is a pause. A segment that would not fit into the buffer waits too, but that wait says nothing
 * about the link: the placeholder gains what the buffer loses.
 */
export function settle(placeholder: number, zeroScoreLevel: number, buffer: BufferState): Settled {
  const { bufferLevel, segmentDuration } = buffer;
  // A partial segment may score below the lowest representation, where V(u + g) is negative: it must not empty the buffer.
  const highest = Math.max(zeroScoreLevel, LOW_BUFFER, segmentDuration);
  const surplus = Math.max(0, bufferLevel + placeholder - highest);
  const shrink = Math.min(surplus, placeholder);
  const pause = surplus - shrink;
  const overrun = waitForRoom({ ...buffer, bufferLevel: bufferLevel - pause });
  return { placeholder: placeholder - shrink + overrun, delay: pause + overrun };
}
