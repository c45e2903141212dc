import { bufferOf, waitForRoom } from './buffer.js';
import { candidatesOf, thinned, type Candidate } from './candidates.js';
import { expectedWorth, plan, STEP_WEIGHT, type Download, type Outlook } from './plan.js';
import { ProgressThroughput, REVIEW_GRACE } from './progress.js';
import { prospectsAround, rateDeviation, safeRate } from './prospects.js';
import { qualityAt, qualityRange } from './quality.js';
import { remembered } from './remembered.js';
import { wholeSegment } from './start.js';
import { receiveRate } from './throughput.js';
import type { Abr, Choice, DecisionState, DownloadProgress, Option, Review, ThroughputSample } from './types.js';
import type { ValueTable } from './value-table.js';

/** How many segments after the next one a plan covers. */
const HORIZON = 5;

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
  readonly after: ValueTable;
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
  readonly #candidates = remembered(candidatesOf);
  readonly #fewCandidates = remembered((options: readonly Option[]) => thinned(this.#candidates(options)));
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
    const bufferLevel = state.bufferLevel - delay;
    const { option } = highest(this.#candidates(state.options), (candidate) => {
      const worth = expectedWorth(candidate, bufferLevel, basis.outlook, basis.after.following(candidate.score));
      return worth - STEP_WEIGHT * Math.abs(candidate.score - lastChoice.score);
    }).candidate;
    if (!hasTimeForRepeats(option, { ...state, bufferLevel }, basis)) return { option, delay };
    return { option, delay, transport: 'reliable' };
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

    const lower = this.#candidates(state.options).filter(
      ({ option: other, bytes }) => other.representation < option.representation && bytes < bytesLeft,
    );
    if (lower.length === 0) return { action: 'continue' };
    const late = { ...outlook, prospects: prospectsAround(now, LATE_DEVIATION) };
    const steps = (score: number) => STEP_WEIGHT * Math.abs(score - (state.lastChoice?.score ?? score));
    const worth = (download: Download, latency: number) =>
      expectedWorth(download, state.bufferLevel, { ...late, latency }, after.following(download.score)) -
      steps(download.score);
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
    const { ladder, samples, upcoming } = state;
    const deviation = rateDeviation(samples);
    const rate = safeRate(estimate, deviation, this.#bandwidthSafety);
    const range = qualityRange(ladder);
    const outlook: Outlook = {
      ...{ segmentDuration, bufferCapacity, latency: latencyOf(samples) },
      prospects: prospectsAround(rate, deviation),
      stallWeight: (STALL_WEIGHT * range) / segmentDuration,
    };
    const beyond = SEGMENTS_BEYOND * segmentDuration;
    const isNearTheEnd = upcoming !== undefined && upcoming.length <= HORIZON;
    const after = plan(this.#segmentsAhead(state), outlook, (bufferLevel) =>
      isNearTheEnd ? 0 : SEGMENTS_BEYOND * qualityAt(ladder, rate * (1 + bufferLevel / beyond)),
    );
    return { outlook, after, rate, range };
  }

  /** Where they are not known, they are taken to be like the next one. */
  #segmentsAhead({ options, upcoming }: DecisionState): (readonly Candidate[])[] {
    const segments = upcoming ? upcoming.slice(1, 1 + HORIZON) : Array.from({ length: HORIZON }, () => options);
    return segments.map(this.#fewCandidates);
  }
}

/**
 * Whether what the link loses can be sent again before the buffer runs out. A hole costs a frame, often an important one; to
 * repeat it costs its bytes. Where nothing gets lost there is nothing to repeat.
 */
function hasTimeForRepeats(
  option: Option,
  { lossRate = 0, bufferLevel }: DecisionState,
  { outlook, rate }: Basis,
): boolean {
  return lossRate > 0 && outlook.latency + (option.bytes * 8) / rate / (1 - lossRate) <= bufferLevel;
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
