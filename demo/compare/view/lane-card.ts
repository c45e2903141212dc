import { create } from '../../dom.js';
import type { Lane, LaneKind, LaneNow, Rung, ShownSegment } from '../types.js';

/** One player: its name, the seconds waited, the picture, and what is seen. */
export class LaneCard {
  readonly element: HTMLElement;
  readonly video: HTMLVideoElement;
  readonly #number = create('b', { text: '0.0' });
  readonly #unit = create('span', { text: 'seconds waited' });
  readonly #representation = create('span');
  readonly #score = create('span');

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
        create('p', { class: 'caption', children: [this.#representation, this.#score] }),
      ],
    });
  }

  /** The number alone: as often as the screen is drawn. */
  showWaited({ waited, isFrozen }: LaneNow): void {
    this.#number.textContent = waited.toFixed(1);
    this.element.classList.toggle('frozen', isFrozen);
  }

  show(lane: Lane, ladder: readonly Rung[]): void {
    const { position, hasEnded, latency } = lane.now();
    const segments = lane.segments();
    const shown = segments.filter(({ startTime }) => startTime <= position);
    const current = shown.at(-1);
    const behind = latency === undefined ? '' : `, ${latency.toFixed(1)} s behind${hasEnded ? ' on average' : ''}`;
    this.#representation.textContent = hasEnded
      ? `ended${behind}`
      : current
        ? `${describe(current, ladder)}${behind}`
        : '';
    const score = meanScore(shown);
    this.#score.textContent = score === undefined ? '' : `mean SSIM ${score.toFixed(3)}`;
  }
}

function describe({ representation }: ShownSegment, ladder: readonly Rung[]): string {
  const rung = ladder.find(({ id }) => id === representation);
  return rung ? `${rung.height}p · ${Math.round(rung.bandwidth / 1000)} kbit/s` : '';
}

export function meanScore(segments: readonly ShownSegment[]): number | undefined {
  const scores = segments.flatMap(({ score }) => score ?? []);
  return scores.length > 0 ? scores.reduce((sum, score) => sum + score, 0) / scores.length : undefined;
}
