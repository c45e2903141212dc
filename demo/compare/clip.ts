import { seenPictures } from './seen-pictures.js';
import type { Comparison } from './types.js';

/** Of the clip; a third of the width for each player. */
const SIZE = { width: 1200, height: 330 };
const FRAMES_PER_SECOND = 25;
const FORMATS = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];

/** Where things are in a player's third. */
const LAYOUT = { margin: 12, name: 28, number: 84, picture: 100 };

/** Films what a viewer sees of a comparison, waits included. */
export class ClipRecorder {
  readonly #canvas = document.createElement('canvas');
  readonly #recorder: MediaRecorder;
  readonly #parts: Blob[] = [];
  readonly #timer: number;
  readonly #comparison: Comparison;
  readonly #videos: readonly HTMLVideoElement[];

  /** Starts at once. Throws where the browser records no WebM. */
  constructor(comparison: Comparison, videos: readonly HTMLVideoElement[]) {
    this.#comparison = comparison;
    this.#videos = videos;
    Object.assign(this.#canvas, SIZE);
    this.#draw();
    const mimeType = FORMATS.find((format) => MediaRecorder.isTypeSupported(format));
    if (mimeType === undefined) throw new Error('this browser records no WebM');
    this.#recorder = new MediaRecorder(this.#canvas.captureStream(FRAMES_PER_SECOND), { mimeType });
    this.#recorder.addEventListener('dataavailable', ({ data }) => this.#parts.push(data));
    this.#recorder.start(1000);
    this.#timer = window.setInterval(() => this.#draw(), 1000 / FRAMES_PER_SECOND);
  }

  /** Ends the clip. */
  async stop(): Promise<Blob> {
    window.clearInterval(this.#timer);
    const stopped = new Promise((resolve) => this.#recorder.addEventListener('stop', resolve, { once: true }));
    this.#recorder.stop();
    await stopped;
    return new Blob(this.#parts, { type: 'video/webm' });
  }

  #draw(): void {
    const context = this.#canvas.getContext('2d')!;
    context.fillStyle = '#0f1215';
    context.fillRect(0, 0, SIZE.width, SIZE.height);
    const third = SIZE.width / this.#comparison.lanes.length;
    this.#comparison.lanes.forEach((lane, place) => {
      const left = place * third + LAYOUT.margin;
      const width = third - 2 * LAYOUT.margin;
      const { waited, isFrozen } = lane.now();
      context.fillStyle = '#e6eaee';
      context.font = '600 17px system-ui, sans-serif';
      context.fillText(lane.kind.title, left, LAYOUT.name);
      context.fillStyle = isFrozen ? '#f2867e' : '#e6eaee';
      context.font = '700 48px system-ui, sans-serif';
      context.fillText(waited.toFixed(1), left, LAYOUT.number);
      const after = left + context.measureText(`${waited.toFixed(1)} `).width;
      context.font = '15px system-ui, sans-serif';
      const moments = lane.moments.filter(({ at }) => at <= this.#comparison.elapsed());
      const { perSecond } = seenPictures(moments, lane.segments());
      const shown = perSecond === undefined ? '' : ` · ${perSecond.toFixed(1)} pictures/s`;
      context.fillText(`s waited${shown}`, after, LAYOUT.number);
      context.globalAlpha = isFrozen ? 0.3 : 1;
      context.drawImage(this.#videos[place]!, left, LAYOUT.picture, width, (width * 9) / 16);
      context.globalAlpha = 1;
    });
  }
}
