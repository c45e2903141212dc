import { create } from '../../dom.js';
import { frameStates } from '../../frame-runs.js';
import { linkRates } from '../link-rates.js';
import type { SeenPictures } from '../seen-pictures.js';
import { firstFrame, frameAt, frameBeside, shownRuns, type FramePlace } from '../shown-frames.js';
import { momentAt, playingSpans, waitingSpans } from '../timeline.js';
import type { Comparison, Lane, LaneKind } from '../types.js';
import { blocks, steps, svg } from './svg.js';

/** Of all pictures; the page stretches them. */
const HEIGHT = 10;

/** Between two numbers of the axis. */
const MARK_SECONDS = 10;

const megabit = (rate: number) => `${(rate / 1e6).toFixed(1)} Mbit/s`;

/** The link's capacity over time, under it each player's bytes and the frames that were seen, all on one time axis. */
export class Strips {
  readonly #capacity = svg('path', { class: 'capacity' });
  readonly #link = svg('svg', { ...stretched(), class: 'link-strip', role: 'img' }, [ground(), this.#capacity]);
  readonly #peak = create('small');
  readonly #rows: readonly LaneRow[];
  readonly #axis = create('div', { class: 'axis' });

  /** `onFrame`: a frame was picked. */
  constructor(parent: HTMLElement, kinds: readonly LaneKind[], onFrame: (lane: number, place: FramePlace) => void) {
    this.#rows = kinds.map((kind, lane) => new LaneRow(kind, (place) => onFrame(lane, place)));
    const label = create('div', { class: 'label', text: 'The link' });
    label.append(this.#peak);
    parent.append(
      create('div', { class: 'strip-row', children: [label, this.#link] }),
      ...this.#rows.map(({ element }) => element),
      create('div', { class: 'strip-row', children: [create('span'), this.#axis] }),
    );
  }

  /** `duration`: of the video, s. */
  show(comparison: Comparison, seen: readonly SeenPictures[], duration: number): void {
    const elapsed = comparison.elapsed();
    const seconds = 5 * Math.ceil(Math.max(duration + 5, elapsed) / 5);
    const rates = linkRates(comparison.link()).filter(({ at }) => at <= elapsed);
    const peak = Math.max(1, ...rates.map(({ capacity }) => capacity));
    const height = (rate: number) => HEIGHT * (1 - Math.min(1, rate / peak));
    const capacity = steps(
      rates.map(({ at, capacity }) => [at, height(capacity)] as const),
      HEIGHT,
    );
    this.#link.setAttribute('viewBox', `0 0 ${seconds} ${HEIGHT}`);
    this.#link.setAttribute('aria-label', `Rate of the link over time, up to ${megabit(peak)}`);
    this.#capacity.setAttribute('d', capacity);
    this.#peak.textContent = rates.length > 0 ? `up to ${megabit(peak)}` : '';
    comparison.lanes.forEach((lane, place) => {
      const sent = rates.map(({ at, sent }) => [at, height(sent[place] ?? 0)] as const);
      const bytes = comparison.link().findLast(({ at }) => at <= elapsed)?.sent[place] ?? 0;
      this.#rows[place]?.show(lane, {
        ...{ seconds, elapsed, bytes, capacity, sent: steps(sent, HEIGHT), seen: seen[place]! },
      });
    });
    this.#showAxis(seconds);
  }

  #showAxis(seconds: number): void {
    if (this.#axis.dataset['seconds'] === String(seconds)) return;
    this.#axis.dataset['seconds'] = String(seconds);
    const marks = Array.from({ length: Math.ceil(seconds / MARK_SECONDS) }, (_, mark) => mark * MARK_SECONDS);
    this.#axis.replaceChildren(
      ...marks.map((mark) => {
        const label = create('span', { text: `${mark} s` });
        // Not by an attribute: pages of strict policies allow no inline style.
        label.style.left = `${(100 * mark) / seconds}%`;
        return label;
      }),
    );
  }
}

/** What a row is drawn from. */
interface RowPicture {
  /** Of the axis, and up to now. */
  readonly seconds: number;
  readonly elapsed: number;
  readonly bytes: number;
  /** Paths. */
  readonly capacity: string;
  readonly sent: string;
  readonly seen: SeenPictures;
}

/** The bytes of one player, and the frames that were seen. */
class LaneRow {
  readonly element: HTMLElement;
  readonly #sum = create('small');
  readonly #capacity = svg('path', { class: 'capacity' });
  readonly #sent = svg('path', { class: 'carried' });
  readonly #bytes = svg('svg', { ...stretched(), class: 'bytes-strip', role: 'img' }, [
    ground(),
    this.#capacity,
    this.#sent,
  ]);
  readonly #states = new Map(frameStates.map((state) => [state, svg('path', { class: frameClass(state) })]));
  readonly #waiting = svg('path', { class: 'waiting' });
  readonly #still = svg('path', { class: 'still' });
  readonly #cursor = svg('line', { class: 'cursor', y1: 0, y2: HEIGHT, visibility: 'hidden' });
  readonly #frames: SVGSVGElement;
  readonly #kind: LaneKind;
  readonly #onFrame: (place: FramePlace) => void;
  #lane: Lane | undefined;
  #place: FramePlace | undefined;
  #seconds = 1;

  constructor(kind: LaneKind, onFrame: (place: FramePlace) => void) {
    this.#kind = kind;
    this.#onFrame = onFrame;
    const attributes = { ...stretched(), class: 'frames-strip', tabindex: 0, role: 'slider', 'aria-valuemin': 0 };
    const drawn = [ground(), ...this.#states.values(), this.#waiting, this.#still, this.#cursor];
    this.#frames = svg('svg', { ...attributes, 'aria-label': `Frames of ${kind.title}` }, drawn);
    const label = create('div', { class: 'label', text: kind.title });
    label.append(this.#sum);
    const pictures = create('div', { children: [this.#bytes, this.#frames] });
    this.element = create('div', { class: `strip-row ${kind.id}`, children: [label, pictures] });
    this.#listen();
  }

  show(lane: Lane, { seconds, elapsed, bytes, capacity, sent, seen }: RowPicture): void {
    this.#lane = lane;
    this.#seconds = seconds;
    const moments = lane.moments.filter(({ at }) => at <= elapsed);
    for (const picture of [this.#bytes, this.#frames]) picture.setAttribute('viewBox', `0 0 ${seconds} ${HEIGHT}`);
    const megabytes = `${(bytes / 1e6).toFixed(1)} MB`;
    const still = `${Math.round(100 * seen.stillShare)} % still`;
    this.#sum.textContent = bytes > 0 ? `${megabytes} · ${still}` : '';
    this.#bytes.setAttribute('aria-label', `Bytes of ${this.#kind.title} over time, ${megabytes} in all`);
    this.#capacity.setAttribute('d', capacity);
    this.#sent.setAttribute('d', sent);
    const runs = shownRuns(playingSpans(moments), lane.segments());
    for (const [state, path] of this.#states) {
      const stretches = runs.filter((run) => run.state === state).map(({ start, end }) => [start, end] as const);
      path.setAttribute('d', blocks(stretches, 0, HEIGHT));
    }
    this.#waiting.setAttribute('d', blocks(waitingSpans(moments), HEIGHT * 0.3, HEIGHT * 0.54));
    this.#still.setAttribute('d', blocks(seen.stills, HEIGHT * 0.8, HEIGHT));
    this.#frames.setAttribute('aria-valuemax', String(Math.floor(lane.now().position)));
    if (!this.#place) this.#say(0, 'no frame chosen');
  }

  #listen(): void {
    this.#frames.addEventListener('click', (event) => {
      const { left, width } = this.#frames.getBoundingClientRect();
      if (!this.#lane) return;
      const at = (this.#seconds * (event.clientX - left)) / width;
      this.#choose(frameAt(this.#lane.segments(), momentAt(this.#lane.moments, at).position));
      this.#open();
    });
    this.#frames.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') this.#step(event.key === 'ArrowRight' ? 1 : -1);
      else if (event.key === 'Enter' || event.key === ' ') this.#open();
      else return;
      event.preventDefault();
    });
  }

  #step(step: 1 | -1): void {
    const segments = this.#lane?.segments() ?? [];
    this.#choose(this.#place ? frameBeside(segments, this.#place, step) : firstFrame(segments));
  }

  #open(): void {
    if (this.#place) this.#onFrame(this.#place);
  }

  #choose(place: FramePlace | undefined): void {
    this.#place = place;
    if (!place || !this.#lane) return;
    const { segment, frame } = place;
    const position = segment.startTime + (segment.duration * (frame + 0.5)) / segment.frames.length;
    const span = playingSpans(this.#lane.moments).findLast((span) => span.position <= position);
    const at = span ? span.start + position - span.position : 0;
    this.#cursor.setAttribute('visibility', 'visible');
    for (const name of ['x1', 'x2']) this.#cursor.setAttribute(name, String(at));
    this.#say(position, `segment ${segment.index + 1}, frame ${frame + 1}: ${segment.frames[frame]}`);
  }

  #say(value: number, text: string): void {
    this.#frames.setAttribute('aria-valuenow', value.toFixed(2));
    this.#frames.setAttribute('aria-valuetext', text);
  }
}

/** What came reliably or in time looks the same here: it came. */
function frameClass(state: (typeof frameStates)[number]): string {
  return state === 'reliable' ? 'complete' : state;
}

function stretched(): Record<string, string> {
  return { viewBox: `0 0 1 ${HEIGHT}`, preserveAspectRatio: 'none' };
}

/** Under everything, over the whole width. */
function ground(): SVGElement {
  return svg('rect', { class: 'ground', width: '100%', height: HEIGHT });
}
