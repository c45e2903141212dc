import { listenToLinks, startLinks, type Program } from './control.js';
import { LiveLane } from './live-lane.js';
import type { CompareSettings } from './settings.js';
import type { Knowledge } from './shown-segments.js';
import { laneKinds, type Comparison, type LaneReport, type LinkMoment } from './types.js';

/** Fine enough for a picture of a playback, coarse enough to cost nothing. */
const SAMPLING_MS = 100;

/** A comparison is over when all have ended, or after this many times the video's length: some links carry too little. */
const PATIENCE = 3;

/** Three players over three links that began together. */
export class LiveComparison implements Comparison {
  readonly lanes: readonly LiveLane[];
  readonly #link: LinkMoment[] = [];
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
  readonly #program: Program;
  readonly #timer: number;
  readonly #stopListening: () => void;
  #endedAt: number | undefined;

  private constructor(lanes: readonly LiveLane[], startedAt: number, program: Program, onEnd: () => void) {
    this.lanes = lanes;
    this.startedAt = startedAt;
    this.#program = program;
    this.#stopListening = listenToLinks((moment) => {
      if (this.#endedAt === undefined) this.#link.push(moment);
    });
    this.#timer = window.setInterval(() => {
      for (const lane of lanes) lane.sample();
      if (this.#endedAt !== undefined || !this.#isOver) return;
      this.#endedAt = this.elapsed();
      this.#stopWatching();
      for (const lane of lanes) lane.end();
      onEnd();
    }, SAMPLING_MS);
  }

  static async start(
    videos: readonly HTMLVideoElement[],
    settings: CompareSettings,
    {
      program,
      knowledge,
      onEnd,
    }: { readonly program: Program; readonly knowledge: Knowledge; readonly onEnd: () => void },
  ): Promise<LiveComparison> {
    const { lanes: places, certificateHashes } = await startLinks(settings);
    const startedAt = performance.now();
    const lanes = laneKinds.map((kind, index) => {
      const common = { startedAt, certificateHashes, bufferSegments: settings.buffer, program, knowledge };
      return new LiveLane(videos[index]!, { kind, place: places[index]!, ...common });
    });
    return new LiveComparison(lanes, startedAt, program, onEnd);
  }

  get hasEnded(): boolean {
    return this.#endedAt !== undefined;
  }

  elapsed(): number {
    return this.#endedAt ?? (performance.now() - this.startedAt) / 1000;
  }

  link(): readonly LinkMoment[] {
    return this.#link;
  }

  reports(): readonly LaneReport[] {
    return this.lanes.map((lane, index) => lane.report(index, this.#link.at(-1)));
  }

  stop(): void {
    this.#stopWatching();
    for (const lane of this.lanes) lane.stop();
  }

  get #isOver(): boolean {
    const { isLive, duration } = this.#program;
    // A live stream does not end by itself.
    return this.lanes.every((lane) => lane.now().hasEnded) || this.elapsed() > (isLive ? 1 : PATIENCE) * duration;
  }

  #stopWatching(): void {
    window.clearInterval(this.#timer);
    this.#stopListening();
  }
}
