import { byId, create } from '../../dom.js';
import { seenPictures, type SeenPictures } from '../seen-pictures.js';
import type { FramePlace } from '../shown-frames.js';
import { laneKinds, type Comparison, type Lane, type LaneKind, type Rung } from '../types.js';
import { LaneCard, scoreUpTo } from './lane-card.js';
import { Strips } from './strips.js';
import { verdict } from './verdict.js';

/** ms; what is drawn anew less often than the numbers, so that the processor is left to the videos. */
const DRAWING_MS = 250;

/** One comparison, running or recorded, and what it plays. */
export interface ShownComparison {
  readonly comparison: Comparison;
  readonly ladder: readonly Rung[];
  /** s. */
  readonly duration: number;
}

/** What a page shows of a comparison. */
export class ComparisonView {
  readonly #cards: readonly LaneCard[];
  readonly #strips: Strips;
  readonly #verdict = byId('verdict', HTMLElement);
  #shown: ShownComparison | undefined;

  constructor(onFrame: (lane: number, place: FramePlace) => void, kinds: readonly LaneKind[] = laneKinds) {
    this.#cards = kinds.map((kind) => new LaneCard(kind));
    byId('lanes', HTMLElement).replaceChildren(...this.#cards.map(({ element }) => element));
    this.#strips = new Strips(byId('strips', HTMLElement), kinds, onFrame);
    const showNumbers = (): void => {
      this.#shown?.comparison.lanes.forEach((lane, place) => this.#cards[place]?.showWaited(lane.now()));
      requestAnimationFrame(showNumbers);
    };
    requestAnimationFrame(showNumbers);
    setInterval(() => this.draw(), DRAWING_MS);
  }

  get videos(): readonly HTMLVideoElement[] {
    return this.#cards.map(({ video }) => video);
  }

  show(shown: ShownComparison): void {
    this.#shown = shown;
    this.draw();
  }

  draw(): void {
    if (!this.#shown) return;
    const { comparison, ladder, duration } = this.#shown;
    const elapsed = comparison.elapsed();
    const seen = comparison.lanes.map((lane) => seenUpTo(lane, elapsed));
    comparison.lanes.forEach((lane, place) => this.#cards[place]?.show(lane, seen[place]!, ladder));
    this.#strips.show(comparison, seen, duration);
    const lanes = comparison.lanes.map((lane, place) => ({
      ...{ kind: lane.kind, now: lane.now(), score: scoreUpTo(lane) },
      ...seen[place]!,
    }));
    const sentences = verdict(lanes);
    const words = sentences.join(' ');
    if (this.#verdict.textContent !== words)
      this.#verdict.replaceChildren(...sentences.flatMap((text) => [create('span', { text }), ' ']).slice(0, -1));
  }
}

/** What a viewer has seen so far: a recording knows the rest already. */
function seenUpTo(lane: Lane, elapsed: number): SeenPictures {
  return seenPictures(
    lane.moments.filter(({ at }) => at <= elapsed),
    lane.segments(),
  );
}

/** Says what keeps the page from working; empty: nothing does. */
export function showNotice(text: string): void {
  const notice = byId('notice', HTMLElement);
  notice.hidden = text === '';
  notice.replaceChildren(create('p', { text }));
}
