import { bufferOf, waitForRoom } from './buffer.js';
import { candidatesOf, thinned, type Candidate } from './candidates.js';
import { expectedWorth, plan, STEP_WEIGHT, type Download, type Outlook, type ValueToGo } from './plan.js';
import { ProgressThroughput, REVIEW_GRACE } from './progress.js';
import { prospectsAround, rateDeviation } from './prospects.js';
import { qualityRange, qualityAt } from './quality.js';
import { wholeSegment } from './start.js';
import { receiveRate } from './throughput.js';
import type { Abr, Choice, DecisionState, DownloadProgress, Option, Review, ThroughputSample } from './types.js';

/** How many segments after the next one a plan covers. */
const HORIZON = 7;

/** What is buffered at a plan's end is worth what it buys when spent over so many average segments. */
const SEGMENTS_BEYOND = 16;

/** A stall as long as a segment costs so many times what separates the ends of the ladder (docs/ABR.md). */
const STALL_WEIGHT = 6;

/** Standard deviation of the logarithm of the rate for what is left of a late download. */
const LATE_DEVIATION = 0.6;

/** Weight of a running download's own throughput against the estimate from before it: links return to their mean. */
const PROGRESS_WEIGHT = 0.7;

/** Seconds of buffer at which a late download is kept as it is: a few reviews, as timers and appending take time. */
const LAST_MOMENT = 0.2;

/** How many samples tell the latency. */
const LATENCY_SAMPLES = 5;

/** What a choice was made on, for the reviews of its download. */
interface Basis {
  readonly outlook: Outlook;
  readonly after: ValueToGo;
  /** Bit/s. */
  readonly rate: number;
  /** What separates the ends of the ladder, in units of score. */
  readonly range: number;
}

/**
 * Plans the next segments for the best quality of experience that can be expected, over exact sizes, with keeping what has
 * arrived as the way out of a wrong guess (docs/ABR.md).
 */
export class AbrStar implements Abr {
  readonly name = 'abr-star';
  readonly #bandwidthSafety: number;
  /** By identity: of the segments ahead all but one were ahead of the last choice, too. */
  readonly #ahead = new WeakMap<readonly Option[], readonly Candidate[]>();
  #progress = new ProgressThroughput();
  #basis: Basis | undefined;

  constructor(bandwidthSafety: number) {
    this.#bandwidthSafety = bandwidthSafety;
  }

  choose(state: DecisionState): Choice {
    this.#progress = new ProgressThroughput();
    const delay = waitForRoom(bufferOf(state));
    const basis = this.#basisOf(state);
    this.#basis = basis;
    const { lastChoice } = state;
    if (!basis || !lastChoice) return { option: wholeSegment(state.options, 0), delay };
    const { outlook, after } = basis;
    const candidates = candidatesOf(state.options);
    const best = highest(candidates, ({ score, ...rest }) => {
      const worth = expectedWorth({ ...rest, score }, state.bufferLevel - delay, outlook, after);
      return worth - STEP_WEIGHT * Math.abs(score - lastChoice.score);
    });
    return { option: best.candidate.option, delay };
  }

  review(progress: DownloadProgress): Review {
    const { state, option, elapsed, bytesReceived, phase } = progress;
    this.#progress.update(elapsed, bytesReceived);
    if (!this.#basis || elapsed < REVIEW_GRACE) return { action: 'continue' };
    const { outlook, after, rate, range } = this.#basis;
    const now = PROGRESS_WEIGHT * this.#bandwidthSafety * this.#progress.throughput + (1 - PROGRESS_WEIGHT) * rate;
    const bytesLeft = option.bytes - bytesReceived;
    if ((bytesLeft * 8) / now <= state.bufferLevel) return { action: 'continue' };
    if (phase === 'unreliable' && state.bufferLevel <= LAST_MOMENT) return { action: 'keep' };

    const lower = candidatesOf(state.options).filter(
      ({ option: other, bytes }) => other.representation < option.representation && bytes < bytesLeft,
    );
    if (lower.length === 0) return { action: 'continue' };
    const late = { ...outlook, prospects: prospectsAround(now, LATE_DEVIATION) };
    const steps = (score: number) => STEP_WEIGHT * Math.abs(score - (state.lastChoice?.score ?? score));
    const worth = (download: Download, latency: number) =>
      expectedWorth(download, state.bufferLevel, { ...late, latency }, after) - steps(download.score);
    const restart = highest(lower, (candidate) => worth(candidate, outlook.latency));
    const goingOn = Math.max(...remainders(progress).map((remainder) => worth(remainder, 0)));
    // What is here is thrown away to be saved from a stall, not for a little quality.
    if (restart.worth <= goingOn + range) return { action: 'continue' };
    this.#progress = new ProgressThroughput();
    return { action: 'restart', option: restart.candidate.option };
  }

  reset(): void {
    this.#progress = new ProgressThroughput();
    this.#basis = undefined;
  }

  /** Undefined as long as nothing is known of the link. */
  #basisOf(state: DecisionState): Basis | undefined {
    const estimate = receiveRate(state.samples) ?? state.throughput;
    if (!estimate) return undefined;
    const { segmentDuration, bufferCapacity } = bufferOf(state);
    const { ladder } = state;
    const rate = this.#bandwidthSafety * estimate;
    const range = qualityRange(ladder);
    const outlook: Outlook = {
      ...{ segmentDuration, bufferCapacity, latency: latencyOf(state.samples) },
      prospects: prospectsAround(rate, rateDeviation(state.samples)),
      stallWeight: (STALL_WEIGHT * range) / segmentDuration,
    };
    const beyond = SEGMENTS_BEYOND * segmentDuration;
    const after = plan(this.#segmentsAhead(state), outlook, (bufferLevel) => {
      return SEGMENTS_BEYOND * qualityAt(ladder, rate * (1 + bufferLevel / beyond));
    });
    return { outlook, after, rate, range };
  }

  /** Where they are not known, they are taken to be like the next one. */
  #segmentsAhead({ options, upcoming }: DecisionState): (readonly Candidate[])[] {
    const segments = upcoming ? upcoming.slice(1, 1 + HORIZON) : Array.from({ length: HORIZON }, () => options);
    return segments.map((segment) => {
      const known = this.#ahead.get(segment) ?? thinned(candidatesOf(segment));
      this.#ahead.set(segment, known);
      return known;
    });
  }
}

/** What the running download may still become: each prefix that has not arrived yet, at the price of its missing bytes. */
function remainders({ state, option, bytesReceived, phase, levelReceived }: DownloadProgress): Download[] {
  const prefixes = state.options.filter(({ representation }) => representation === option.representation);
  const reached = phase === 'unreliable' ? levelReceived : 0;
  const here = prefixes.find(({ level }) => level === reached) ?? option;
  return prefixes
    .filter(({ level }) => level >= reached && level <= option.level)
    .map(({ bytes, reliableBytes, score }) => ({
      bytes: Math.max(0, bytes - bytesReceived),
      reliableBytes: Math.max(0, reliableBytes - bytesReceived),
      score,
      floor: Math.min(score, here.score),
    }));
}

function highest(candidates: readonly Candidate[], worthOf: (candidate: Candidate) => number) {
  let best = { candidate: candidates[0]!, worth: -Infinity };
  for (const candidate of candidates) {
    const worth = worthOf(candidate);
    if (worth > best.worth) best = { candidate, worth };
  }
  return best;
}

function latencyOf(samples: readonly ThroughputSample[]): number {
  const latest = samples.slice(-LATENCY_SAMPLES);
  const sum = latest.reduce((total, { timeToFirstByte = 0 }) => total + timeToFirstByte, 0);
  return latest.length === 0 ? 0 : sum / latest.length;
}
