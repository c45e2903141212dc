import type { FrameState } from '../player/api/types.js';
import { describeFrames, frameRuns, frameStateNames, HELD } from './frame-runs.js';

const svgNamespace = 'http://www.w3.org/2000/svg';
const fullHeight = 10;
/** Frames that were left out are shorter, so that colour is not the only sign. */
const heights: Readonly<Record<FrameState, number>> = { reliable: 10, complete: 10, skipped: 4, repaired: 7 };

/** Draws the frames of a segment side by side in decode order; CSS gives the colours by class. `removed`: places of those that were taken out. */
export function createFrameStrip(frames: readonly FrameState[], removed: readonly number[]): SVGSVGElement {
  const strip = svg('svg', {
    class: 'strip',
    viewBox: `0 0 ${frames.length} ${fullHeight}`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': describeFrames(frames, removed),
  });
  for (const { state, isHeld, start, count } of frameRuns(frames, removed)) {
    const height = heights[state];
    const bar = svg('rect', {
      class: isHeld ? `${state} held` : state,
      x: start,
      y: fullHeight - height,
      width: count,
      height,
    });
    const title = svg('title', {});
    const last = start + count - 1;
    const what = `${frameStateNames[state]}${isHeld ? `, ${HELD}` : ''}`;
    title.textContent = `${count > 1 ? `frames ${start}–${last}` : `frame ${start}`}: ${what}`;
    bar.append(title);
    strip.append(bar);
  }
  return strip;
}

function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS(svgNamespace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}
