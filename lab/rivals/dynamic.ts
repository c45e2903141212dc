import { BolaE } from './bola-e.js';
import { Tput } from './tput.js';
import { wholeSegment } from '../../src/abr-star/options.js';
import type { Abr, Choice, DecisionState, DownloadProgress, Review } from '../../src/abr-star/types.js';

/** Seconds of buffer from which dash.js leaves the choice to BOLA, and back at half of it (`streaming.abr.hybridSwitchBufferTime`, 5.2.1). */
const BOLA_FROM = 12;
const BOLA_UNTIL = 0.5 * BOLA_FROM;

/** Bit/s that it begins with where the manifest's download has shown nothing (`abr.initialBitrate`). */
export const FIRST_RATE = 1e6;

/** dash.js' own rule as it comes: by throughput, and by BOLA with a long buffer. */
export class Dynamic implements Abr {
  readonly name = 'dynamic';
  readonly delivery = 'streams';
  readonly firstRate = FIRST_RATE;
  readonly #tput = new Tput();
  readonly #bola = new BolaE();
  #isBola = false;

  choose(state: DecisionState): Choice {
    this.#isBola = state.bufferLevel >= (this.#isBola ? BOLA_UNTIL : BOLA_FROM);
    // Both see every segment: BOLA's placeholder follows what was downloaded.
    const [byThroughput, byBuffer] = [this.#tput.choose(state), this.#bola.choose(state)];
    if (state.samples.length > 0) return this.#isBola ? byBuffer : byThroughput;
    const first = state.ladder.findLastIndex(({ bitrate }) => bitrate <= FIRST_RATE);
    return { ...byThroughput, option: wholeSegment(state.options, first) };
  }

  review(progress: DownloadProgress): Review {
    // dash.js abandons by time, whichever of both chose; BolaE's abandonment is Sabre's.
    return this.#tput.review(progress);
  }

  reset(): void {
    this.#tput.reset();
    this.#bola.reset();
    this.#isBola = false;
  }
}
