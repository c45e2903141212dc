import { byId, create } from '../../dom.js';
import type { FramePlace } from '../shown-frames.js';
import { laneKinds, type Comparison, type LaneKind, type Rung } from '../types.js';
import { LaneCard } from './lane-card.js';
import { Strips } from './strips.js';
import { verdict } from './verdict.js';

/** ms; what is drawn anew less often than the numbers, so that the processor is left to the videos. */
const DRAWING_MS = 250;

/** What a page shows of one comparison, running or recorded. */
export class ComparisonView {
  readonly #cards: readonly LaneCard[];
  readonly #strips: Strips;
  readonly #verdict = byId('verdict', HTMLElement);
  readonly #duration: number;
  readonly #ladder: readonly Rung[];
  #comparison: Comparison | undefined;

  constructor(settings: {
    /** Of the video, s. */
    readonly duration: number;
    readonly ladder: readonly Rung[];
    readonly kinds?: readonly LaneKind[];
    readonly onFrame: (lane: number, place: FramePlace) => void;
  }) {
    const { duration, ladder, kinds = laneKinds, onFrame } = settings;
    this.#duration = duration;
    this.#ladder = ladder;
    this.#cards = kinds.map((kind) => new LaneCard(kind));
    byId('lanes', HTMLElement).replaceChildren(...this.#cards.map(({ element }) => element));
    this.#strips = new Strips(byId('strips', HTMLElement), kinds, onFrame);
    const showNumbers = (): void => {
      this.#comparison?.lanes.forEach((lane, place) => this.#cards[place]?.showWaited(lane.now()));
      requestAnimationFrame(showNumbers);
    };
    requestAnimationFrame(showNumbers);
    setInterval(() => this.draw(), DRAWING_MS);
  }

  get videos(): readonly HTMLVideoElement[] {
    return this.#cards.map(({ video }) => video);
  }

  show(comparison: Comparison): void {
    this.#comparison = comparison;
    this.draw();
  }

  draw(): void {
    const comparison = this.#comparison;
    if (!comparison) return;
    comparison.lanes.forEach((lane, place) => this.#cards[place]?.show(lane, this.#ladder));
    this.#strips.show(comparison, this.#duration);
    const words = verdict(comparison.lanes.map((lane) => ({ kind: lane.kind, now: lane.now() })));
    if (this.#verdict.textContent !== words) this.#verdict.textContent = words;
  }
}

/** Says what keeps the page from working; empty: nothing does. */
export function showNotice(text: string): void {
  const notice = byId('notice', HTMLElement);
  notice.hidden = text === '';
  notice.replaceChildren(create('p', { text }));
}
