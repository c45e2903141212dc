import type { FrameState } from '../player/api/types.js';
import { describeFrames, frameRuns, frameStateNames } from './frame-runs.js';

const svgNamespace = 'http://www.w3.org/2000/svg';
const fullHeight = 10;
/** Frames that were left out are shorter, so that colour is not the only sign. */
const heights: Readonly<Record<FrameState, number>> = { reliable: 10, complete: 10, skipped: 4, repaired: 7 };

/** Draws the frames of a segment side by side in decode order; CSS gives the colours by class. */
export function createFrameStrip(frames: readonly FrameState[]): SVGSVGElement {
  const strip = svg('svg', {
    class: 'strip',
    viewBox: `0 0 ${frames.length} ${fullHeight}`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': describeFrames(frames),
  });
  for (const { state, start, count } of frameRuns(frames)) {
    const height = heights[state];
    const bar = svg('rect', { class: state, x: start, y: fullHeight - height, width: count, height });
    const title = svg('title', {});
    const last = start + count - 1;
    title.textContent = `${count > 1 ? `frames ${start}–${last}` : `frame ${start}`}: ${frameStateNames[state]}`;
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
