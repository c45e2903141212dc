import { byId, create } from '../../dom.js';
import { frameStateNames } from '../../frame-runs.js';
import { difference, GAIN } from '../difference.js';
import { decodeFrame, type FramePictures, type SegmentBytes } from '../pictures.js';
import { frameBeside, isReplaced, nextReplaced, type FramePlace } from '../shown-frames.js';
import type { Lane, ShownSegment } from '../types.js';

/** Where the bytes of a shown segment come from. */
export type LoadSegment = (lane: number, segment: ShownSegment) => Promise<SegmentBytes>;

/** Shows what became of one frame: as delivered, as repaired, as encoded, and the difference. */
export class Inspector {
  readonly #dialog = byId('inspector', HTMLDialogElement);
  readonly #title = byId('inspector-title', HTMLElement);
  readonly #pictures = byId('pictures', HTMLElement);
  readonly #text = byId('inspector-text', HTMLElement);
  readonly #nextChanged = byId('next-changed', HTMLButtonElement);
  readonly #load: LoadSegment;
  #lane: { readonly place: number; readonly lane: Lane } | undefined;
  #frame: FramePlace | undefined;

  constructor(load: LoadSegment) {
    this.#load = load;
    byId('previous-frame', HTMLButtonElement).addEventListener('click', () => this.#step(-1));
    byId('next-frame', HTMLButtonElement).addEventListener('click', () => this.#step(1));
    this.#nextChanged.addEventListener('click', () => {
      const next = this.#frame && nextReplaced(this.#segments, this.#frame);
      if (next) void this.#show(next);
    });
    this.#dialog.addEventListener('keydown', ({ key }) => {
      if (key === 'ArrowLeft' || key === 'ArrowRight') this.#step(key === 'ArrowLeft' ? -1 : 1);
    });
  }

  /** `place`: of the lane. */
  async open(place: number, lane: Lane, frame: FramePlace): Promise<void> {
    this.#lane = { place, lane };
    if (!this.#dialog.open) this.#dialog.showModal();
    await this.#show(frame);
  }

  get #segments(): readonly ShownSegment[] {
    return this.#lane?.lane.segments() ?? [];
  }

  #step(step: 1 | -1): void {
    if (this.#frame) void this.#show(frameBeside(this.#segments, this.#frame, step));
  }

  async #show(place: FramePlace): Promise<void> {
    this.#frame = place;
    const { segment, frame } = place;
    const state = segment.frames[frame]!;
    this.#title.textContent = `${this.#lane!.lane.kind.title}: frame ${frame + 1} of segment ${segment.index + 1}`;
    this.#nextChanged.hidden = nextReplaced(this.#segments, place) === undefined;
    this.#text.textContent = `This frame: ${frameStateNames[state]}. Frames are counted in decode order.`;
    try {
      const bytes = await this.#load(this.#lane!.place, segment);
      const pictures = await decodeFrame(bytes, segment.frames, frame);
      // Another frame may have been asked for meanwhile.
      if (this.#frame === place) this.#draw(pictures, isReplaced(state) ? frameStateNames[state] : undefined);
      for (const picture of Object.values(pictures) as (VideoFrame | undefined)[]) picture?.close();
    } catch (error) {
      const reason = 'VideoDecoder' in window ? String(error) : 'this browser has no WebCodecs';
      if (this.#frame === place) this.#pictures.replaceChildren(absent(`The pictures cannot be shown: ${reason}`));
    }
  }

  /** `missing`: why the frame did not come; undefined: it did. */
  #draw({ delivered, repaired, original }: FramePictures, missing: string | undefined): void {
    const shown = repaired && canvasOf(repaired);
    const encoded = original && canvasOf(original);
    this.#pictures.replaceChildren(
      figure('Delivered', delivered ? canvasOf(delivered) : absent(missing ?? 'the decoder gives up without repair')),
      figure(missing ? 'Repaired: what was shown' : 'Shown', shown ?? absent('no picture')),
      figure('Original', encoded ?? absent('no picture')),
      figure(
        `Difference of shown and original, × ${GAIN}`,
        shown && encoded ? differenceOf(shown, encoded) : absent('no picture'),
      ),
    );
  }
}

function figure(caption: string, picture: HTMLElement): HTMLElement {
  return create('figure', { children: [create('figcaption', { text: caption }), picture] });
}

function absent(text: string): HTMLElement {
  return create('div', { class: 'absent', text });
}

function canvasOf(picture: VideoFrame): HTMLCanvasElement {
  const canvas = create('canvas');
  canvas.width = picture.displayWidth;
  canvas.height = picture.displayHeight;
  canvas.getContext('2d', { willReadFrequently: true })!.drawImage(picture, 0, 0);
  return canvas;
}

function differenceOf(one: HTMLCanvasElement, other: HTMLCanvasElement): HTMLCanvasElement {
  const { width, height } = one;
  const pixels = (canvas: HTMLCanvasElement) => canvas.getContext('2d')!.getImageData(0, 0, width, height).data;
  const canvas = create('canvas');
  canvas.width = width;
  canvas.height = height;
  const data = new ImageData(difference(pixels(one), pixels(other)), width, height);
  canvas.getContext('2d')!.putImageData(data, 0, 0);
  return canvas;
}
