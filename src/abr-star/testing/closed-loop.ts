import { ThroughputEstimator } from '../throughput.js';
import type { Abr, DecisionState, LadderRepresentation, Option } from '../types.js';

/** Seconds between two reviews, and the step of the model. */
const STEP = 0.05;

/** How far the options of coming segments are known. */
const SEGMENTS_AHEAD = 8;

export interface Scenario {
  readonly abr: Abr;
  readonly ladder: readonly LadderRepresentation[];
  /** The options of segment `index`. */
  readonly options: (index: number) => Option[];
  readonly segmentDuration: number;
  readonly bufferCapacity: number;
  readonly segments: number;
  /** The link's rate at `time` seconds, in bit/s. */
  readonly rate: (time: number) => number;
  /** Seconds from a request to its first byte. */
  readonly latency: number;
}

export interface PlayedSegment {
  /** As downloaded in the end: for a kept one the level that had arrived. */
  readonly option: Option;
  readonly requestedAt: number;
  readonly delay: number;
  readonly restarts: number;
  readonly ending: 'complete' | 'kept';
}

export interface Playback {
  readonly segments: readonly PlayedSegment[];
  /** Seconds. */
  readonly startup: number;
  readonly stalled: number;
  readonly lastedFor: number;
}

/** Plays a stream over a modelled link: one download at a time, playback from the first segment on. */
export function play(scenario: Scenario): Playback {
  return new Model(scenario).run();
}

class Model {
  readonly #scenario: Scenario;
  readonly #estimator = new ThroughputEstimator();
  readonly #played: PlayedSegment[] = [];
  #time = 0;
  #buffer = 0;
  #startup = 0;
  #stalled = 0;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  run(): Playback {
    for (let index = 0; index < this.#scenario.segments; index++) {
      const { option, delay } = this.#scenario.abr.choose(this.#state(index));
      this.#pass(delay);
      const requestedAt = this.#time;
      this.#played.push({ ...this.#download(index, option), requestedAt, delay });
      if (index === 0) this.#startup = this.#time;
      this.#buffer += this.#scenario.segmentDuration;
    }
    return { segments: this.#played, startup: this.#startup, stalled: this.#stalled, lastedFor: this.#time };
  }

  #download(index: number, first: Option): Pick<PlayedSegment, 'option' | 'restarts' | 'ending'> {
    const { abr, latency } = this.#scenario;
    let option = first;
    let restarts = 0;
    let sent = this.#time;
    let received = 0;
    for (;;) {
      const waiting = Math.max(0, sent + latency - this.#time);
      const open = Math.max(0, STEP - waiting);
      const rate = this.#scenario.rate(this.#time);
      const left = option.bytes - received;
      if ((rate * open) / 8 >= left) {
        this.#pass(waiting + (left * 8) / rate);
        this.#sample(option.bytes, sent);
        return { option, restarts, ending: 'complete' };
      }
      received += (rate * open) / 8;
      this.#pass(STEP);

      const phase = received < option.reliableBytes ? 'reliable' : 'unreliable';
      const state = this.#state(index);
      const reached = state.options.findLast(
        (o) => o.representation === option.representation && o.bytes <= received && o.level <= option.level,
      );
      const elapsed = this.#time - sent;
      const review = abr.review?.({
        state,
        option,
        elapsed,
        bytesReceived: received,
        phase,
        levelReceived: reached?.level ?? 0,
      });
      if (!review || review.action === 'continue') continue;
      this.#sample(received, sent);
      if (review.action === 'keep') return { option: reached ?? option, restarts, ending: 'kept' };
      option = review.option;
      restarts++;
      received = 0;
      sent = this.#time;
    }
  }

  #sample(bytes: number, sent: number): void {
    this.#estimator.add({ bytes, seconds: this.#time - sent, timeToFirstByte: this.#scenario.latency });
  }

  #state(segmentIndex: number): DecisionState {
    const { ladder, options, segmentDuration, bufferCapacity, segments } = this.#scenario;
    const ahead = Math.min(SEGMENTS_AHEAD, segments - segmentIndex);
    return {
      segmentIndex,
      segmentDuration,
      bufferLevel: this.#buffer,
      bufferCapacity,
      throughput: this.#estimator.throughput,
      samples: this.#estimator.samples,
      lastChoice: this.#played.at(-1)?.option,
      ladder,
      options: options(segmentIndex),
      upcoming: Array.from({ length: ahead }, (_, offset) => options(segmentIndex + offset)),
    };
  }

  #pass(seconds: number): void {
    this.#time += seconds;
    if (this.#played.length === 0) return;
    this.#stalled += Math.max(0, seconds - this.#buffer);
    this.#buffer = Math.max(0, this.#buffer - seconds);
  }
}
