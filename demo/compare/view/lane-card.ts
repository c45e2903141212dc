import { create } from '../../dom.js';
import type { SeenPictures } from '../seen-pictures.js';
import type { Lane, LaneKind, LaneNow, Rung, ShownSegment } from '../types.js';

/** Stands where nothing is known yet. */
const UNKNOWN = '–';

/** One player: its name, the seconds waited, the picture, and what is seen. */
export class LaneCard {
  readonly element: HTMLElement;
  readonly video: HTMLVideoElement;
  readonly #number = create('b', { text: '0.0' });
  readonly #unit = create('span', { text: 'seconds waited' });
  readonly #representation = create('span');
  readonly #paid = {
    perSecond: figure('pictures/s', 'New pictures in a second of playback; what repeats another is none'),
    longestStill: figure('longest still', 'How long one picture stood at most, waits after the first included'),
    score: figure('mean SSIM', 'How alike the segments as shown are to the best that there is: 1 is the same'),
  };

  constructor(kind: LaneKind) {
    const name = create('h2', { class: 'name', text: kind.title });
    name.append(create('span', { text: kind.about }));
    this.video = create('video', { attributes: { 'aria-label': kind.title, playsinline: '' } });
    this.video.muted = true;
    this.element = create('article', {
      class: `lane ${kind.id}`,
      children: [
        name,
        create('p', { class: 'waited', children: [this.#number, this.#unit] }),
        create('div', {
          class: 'screen',
          children: [
            this.video,
            create('span', { class: 'mark', text: 'waiting …', attributes: { 'aria-hidden': 'true' } }),
          ],
        }),
        create('dl', { class: 'paid', children: Object.values(this.#paid).map(({ element }) => element) }),
        create('p', { class: 'caption', children: [this.#representation] }),
      ],
    });
  }

  /** The number alone: as often as the screen is drawn. */
  showWaited({ waited, isFrozen }: LaneNow): void {
    this.#number.textContent = waited.toFixed(1);
    this.element.classList.toggle('frozen', isFrozen);
  }

  show(lane: Lane, { perSecond, longestStill }: SeenPictures, ladder: readonly Rung[]): void {
    const { position, hasEnded, latency } = lane.now();
    const segments = lane.segments();
    const current = segments.findLast(({ startTime }) => startTime <= position);
    const behind = latency === undefined ? '' : `, ${latency.toFixed(1)} s behind${hasEnded ? ' on average' : ''}`;
    this.#representation.textContent = hasEnded
      ? `ended${behind}`
      : current
        ? `${describe(current, ladder)}${behind}`
        : '';
    this.#paid.perSecond.value.textContent = perSecond?.toFixed(1) ?? UNKNOWN;
    this.#paid.longestStill.value.textContent = perSecond === undefined ? UNKNOWN : `${longestStill.toFixed(1)} s`;
    this.#paid.score.value.textContent = perSecond === undefined ? UNKNOWN : (scoreUpTo(lane)?.toFixed(3) ?? UNKNOWN);
  }
}

function describe({ representation }: ShownSegment, ladder: readonly Rung[]): string {
  const rung = ladder.find(({ id }) => id === representation);
  return rung ? `${rung.height}p · ${Math.round(rung.bandwidth / 1000)} kbit/s` : '';
}

/** Mean score of what a lane has shown so far; undefined: none is known. */
export function scoreUpTo(lane: Lane): number | undefined {
  const { position } = lane.now();
  const scores = lane.segments().flatMap(({ startTime, score }) => (startTime <= position ? (score ?? []) : []));
  return scores.length > 0 ? scores.reduce((sum, score) => sum + score, 0) / scores.length : undefined;
}

/** A figure with its name, explained where the pointer rests. */
function figure(name: string, title: string): { readonly element: HTMLElement; readonly value: HTMLElement } {
  const value = create('dd', { text: UNKNOWN });
  const element = create('div', { children: [create('dt', { text: name }), value], attributes: { title } });
  return { element, value };
}
