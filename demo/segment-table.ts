import type { SegmentRecord, Delivery } from '../player/api/types.js';
import { create } from './dom.js';
import { formatBitrate, formatBytes, formatScore, unknown } from './format.js';
import { createFrameStrip } from './frame-strip.js';
import { lossesOf } from './losses.js';

/** Older rows leave the page (not the exported run): a table of hours would make it slow. */
const maximumRows = 200;

const deliveryNames: Readonly<Record<Delivery, string>> = {
  datagrams: 'datagrams',
  streams: 'streams',
  http: 'HTTP',
};

/** The rows of the table of segments, newest first. */
export class SegmentTable {
  readonly #body: HTMLElement;
  readonly #rows = new Map<number, HTMLElement>();

  constructor(body: HTMLElement) {
    this.#body = body;
  }

  /** A segment whose gaps were fetched takes the place of what it was before. */
  add(segment: SegmentRecord): void {
    const row = segmentRow(segment);
    const former = segment.bytesRefetched > 0 ? this.#rows.get(segment.index) : undefined;
    if (former?.isConnected) former.replaceWith(row);
    else this.#body.prepend(row);
    this.#rows.set(segment.index, row);
    while (this.#body.childElementCount > maximumRows) this.#body.lastElementChild?.remove();
  }
}

// On a phone the cells of a row stand in a grid (style.css), which takes their meaning as a table away: hence the roles.
function segmentRow(segment: SegmentRecord): HTMLElement {
  const { index, frames, removed, bytesReliable, bytesUnreliable, score, delivery } = segment;
  const { lost, fetchedAgain } = lossesOf(segment);
  return create('tr', {
    attributes: { role: 'row' },
    children: [
      cell('number', 'Segment', String(index)),
      cell('level', 'Representation', levelText(segment)),
      stripCell(frames, removed),
      cell('number', 'Reliable', formatBytes(bytesReliable)),
      cell('number', 'Unreliable', formatBytes(bytesUnreliable)),
      cell(lost > 0 ? 'number lost' : 'number', 'Lost', formatBytes(lost)),
      cell('number', 'Fetched again', formatBytes(fetchedAgain)),
      cell('number', 'Score', formatScore(score)),
      cell('number', 'Speed', formatBitrate(segment.throughput)),
      cell('delivery', 'Delivery', deliveryNames[delivery]),
    ],
  });
}

function levelText({ representation, level, levels }: SegmentRecord): string {
  return levels > 1 ? `${representation} · ${level + 1}/${levels}` : representation;
}

function cell(className: string, label: string, text: string): HTMLElement {
  return create('td', { class: className, text, attributes: { role: 'cell', 'data-label': label } });
}

function stripCell(frames: SegmentRecord['frames'], removed: SegmentRecord['removed']): HTMLElement {
  const content = frames.length > 0 ? createFrameStrip(frames, removed) : create('span', { text: unknown });
  return create('td', { class: 'frames', children: [content], attributes: { role: 'cell' } });
}
