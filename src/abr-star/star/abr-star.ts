import { bufferOf, waitForRoom } from '../buffer.js';
import { candidatesOf, thinned, type Candidates } from './candidates.js';
import { Expectation, plan, STEP_WEIGHT, type Download, type Outlook } from './plan.js';
import { ProgressThroughput, REVIEW_GRACE } from '../progress.js';
import { outageStall, prospectsAround, rateDeviation, safeRate } from './prospects.js';
import { scoreAtRate, scoreRange } from './score-scale.js';
import { memoize } from '../memoize.js';
import { wholeSegment } from '../options.js';
import { recentRate } from '../throughput.js';
import type { Abr, Choice, DecisionState, DownloadProgress, Option, Review, ThroughputSample } from '../types.js';
import type { ValueTable } from './value-table.js';

/** How many segments after the next one a plan covers. */
const HORIZON = 4;

/** What is buffered at a plan's end is worth what it buys when spent over so many average segments. */
const SEGMENTS_BEYOND = 16;

/** A stall as long as a segment costs so many times what separates the ends of the ladder (docs/ABR.md). */
const STALL_WEIGHT = 6;

/**
 * What is here is thrown away to be saved from a stall, not for a little quality: a restart must gain that much of what
 * separates the ends of the ladder.
 */
const RESTART_GAIN = 0.5;

/** Standard deviation of the logarithm of the rate for what is left of a late download. */
const LATE_DEVIATION = 0.6;

/** Weight of a running download's own throughput against the estimate from before it: links return to their mean. */
const PROGRESS_WEIGHT = 0.8;

/** Seconds of buffer at which a late download is kept as it is: a few reviews, as timers and appending take time. */
const LAST_MOMENT = 0.2;

/** Share of datagram bytes that are lost for good from which a segment is better off on streams, where there is time for their repeats. */
const LOSS_LIMIT = 0.02;

/** Bit/s that a first download counts on while nothing is known of the link: dash.js' own first guess. */
const FIRST_RATE = 1e6;

/** Seconds that viewers wait for the first picture without minding, to see a better one. */
const START_UP = 2;

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

/** What reviews of a download remember. */
interface Running {
  progress: ProgressThroughput;
  /** Undefined: nothing was known of the link. */
  readonly basis: Basis | undefined;
}

/**
 * Plans the next segments for the best quality of experience that can be expected, over exact sizes, with keeping what has
 * arrived as the way out of a wrong guess (docs/ABR.md).
 */
export class AbrStar implements Abr {
  readonly name = 'abr-star';
  readonly firstRate = FIRST_RATE;
  readonly #bandwidthSafety: number;
  readonly #candidates = memoize(candidatesOf);
  readonly #fewCandidates = memoize((options: readonly Option[]) => thinned(this.#candidates(options)));
  /** Of the segments under way, by their index: the next one may be chosen before the former is here. */
  readonly #running = new Map<number, Running>();

  constructor(bandwidthSafety: number) {
    this.#bandwidthSafety = bandwidthSafety;
  }

  choose(state: DecisionState): Choice {
    const delay = waitForRoom(bufferOf(state));
    const basis = this.#basisOf(state);
    for (const index of this.#running.keys()) if (index !== state.segmentIndex - 1) this.#running.delete(index);
    this.#running.set(state.segmentIndex, { progress: new ProgressThroughput(), basis });
    const { lastChoice } = state;
    if (!basis || !lastChoice) return { option: this.#firstOption(state, basis), delay, delivery: 'streams' };
    const { outlook, after } = basis;
    const bufferLevel = state.bufferLevel - delay;
    const { options, floors } = this.#candidates(state.options);
    const expectation = new Expectation(outlook, [bufferLevel], after);
    const { option } = highest(options, (candidate) => {
      const worth = expectation.worthsOf(candidate, floors[candidate.representation]!)[0]!;
      return worth - STEP_WEIGHT * Math.abs(candidate.score - lastChoice.score);
    });
    const isLossy = (state.lossRate ?? 0) >= LOSS_LIMIT;
    const isSafer = isLossy && hasTimeForRepeats(option, { ...state, bufferLevel }, basis);
    return isSafer ? { option, delay, delivery: 'streams' } : { option, delay };
  }

  review(progress: DownloadProgress): Review {
    const { state, option, elapsed, bytesReceived, phase } = progress;
    const running = this.#running.get(state.segmentIndex);
    running?.progress.update(elapsed, bytesReceived);
    if (!state.lastChoice) return isGoodStart(progress) ? { action: 'keep' } : { action: 'continue' };
    if (!running?.basis || elapsed < REVIEW_GRACE) return { action: 'continue' };
    const { outlook, after, rate, range } = running.basis;
    const now = PROGRESS_WEIGHT * this.#bandwidthSafety * running.progress.throughput + (1 - PROGRESS_WEIGHT) * rate;
    const bytesLeft = option.bytes - bytesReceived;
    if ((bytesLeft * 8) / now <= state.bufferLevel) return { action: 'continue' };
    if (phase === 'unreliable' && state.bufferLevel <= LAST_MOMENT) return { action: 'keep' };

    const { options, floors } = this.#candidates(state.options);
    const lower = options.filter((other) => other.representation < option.representation && other.bytes < bytesLeft);
    if (lower.length === 0) return { action: 'continue' };
    const late = { ...outlook, prospects: prospectsAround(now, LATE_DEVIATION) };
    const before = state.lastChoice.score;
    const worth = (expectation: Expectation, download: Download, floor: number) =>
      expectation.worthsOf(download, floor)[0]! - STEP_WEIGHT * Math.abs(download.score - before);
    const restarted = new Expectation(late, [state.bufferLevel], after);
    const restart = highest(lower, (other) => worth(restarted, other, floors[other.representation]!));
    const continued = new Expectation({ ...late, latency: 0 }, [state.bufferLevel], after);
    const floor = scoreOfArrived(progress);
    const goingOn = Math.max(...remainders(progress).map((remainder) => worth(continued, remainder, floor)));
    if (restart.worth <= goingOn + RESTART_GAIN * range) return { action: 'continue' };
    running.progress = new ProgressThroughput();
    return { action: 'restart', option: restart.option };
  }

  reset(): void {
    this.#running.clear();
  }

  /**
   * All of the representation of which enough should be here in time for a quick start: reviews end the download then. The lowest
   * representation if there is none.
   */
  #firstOption(
    { options }: DecisionState,
    { rate, outlook: { latency } } = { rate: FIRST_RATE, outlook: { latency: 0 } },
  ) {
    const bytes = ((START_UP - latency) * rate) / 8;
    const enough = this.#candidates(options).options.findLast((option) => option.bytes <= bytes);
    return wholeSegment(options, enough?.representation ?? 0);
  }

  /** Undefined as long as nothing is known of the link. */
  #basisOf(state: DecisionState): Basis | undefined {
    const estimate = recentRate(state.samples) ?? state.throughput;
    if (!estimate) return undefined;
    const { segmentDuration, bufferCapacity } = bufferOf(state);
    const { ladder, samples, upcoming } = state;
    const deviation = rateDeviation(samples);
    const rate = safeRate(estimate, deviation, this.#bandwidthSafety);
    const range = scoreRange(ladder);
    const outlook: Outlook = {
      segmentDuration,
      bufferCapacity,
      latency: latencyOf(samples),
      prospects: prospectsAround(rate, deviation),
      stallWeight: (STALL_WEIGHT * range) / segmentDuration,
    };
    const beyond = SEGMENTS_BEYOND * segmentDuration;
    const isNearTheEnd = upcoming !== undefined && upcoming.length <= HORIZON;
    const worthAtEnd = (bufferLevel: number) =>
      SEGMENTS_BEYOND * scoreAtRate(ladder, rate * (1 + bufferLevel / beyond)) -
      outlook.stallWeight * outageStall(bufferLevel, deviation);
    const after = plan(this.#segmentsAhead(state), outlook, isNearTheEnd ? () => 0 : worthAtEnd);
    return { outlook, after, rate, range };
  }

  /** Where they are not known, they are taken to be like the next one. */
  #segmentsAhead({ options, upcoming }: DecisionState): Candidates[] {
    const segments = upcoming ? upcoming.slice(1, 1 + HORIZON) : Array.from({ length: HORIZON }, () => options);
    return segments.map(this.#fewCandidates);
  }
}

/** Whether it is time to start, with at least what the lowest representation would show. */
function isGoodStart(progress: DownloadProgress): boolean {
  const { state, elapsed, phase } = progress;
  return (
    elapsed >= START_UP && phase === 'unreliable' && scoreOfArrived(progress) >= wholeSegment(state.options, 0).score
  );
}

/**
 * Whether what the link loses can be sent again before the buffer runs out. A gap costs a frame, often an important one; to
 * repeat it costs its bytes.
 */
function hasTimeForRepeats(
  option: Option,
  { lossRate = 0, bufferLevel }: DecisionState,
  { outlook, rate }: Basis,
): boolean {
  return outlook.latency + (option.bytes * 8) / rate / (1 - lossRate) <= bufferLevel;
}

/** What the running download may still become: each prefix that has not arrived yet, at the price of its missing bytes. */
function remainders(progress: DownloadProgress): Download[] {
  const { option, bytesReceived } = progress;
  const reached = levelArrived(progress);
  return prefixesOf(progress)
    .filter(({ level }) => level >= reached && level <= option.level)
    .map(({ bytes, reliableBytes, score }) => ({
      bytes: Math.max(0, bytes - bytesReceived),
      reliableBytes: Math.max(0, reliableBytes - bytesReceived),
      score,
    }));
}

/** Once the reliable bytes are here; before, what they will be worth. */
function scoreOfArrived(progress: DownloadProgress): number {
  const reached = levelArrived(progress);
  return (prefixesOf(progress).find(({ level }) => level === reached) ?? progress.option).score;
}

function levelArrived({ phase, levelReceived }: DownloadProgress): number {
  return phase === 'unreliable' ? levelReceived : 0;
}

function prefixesOf({ state, option }: DownloadProgress): readonly Option[] {
  return state.options.filter(({ representation }) => representation === option.representation);
}

/** The first of the options that are worth most. */
function highest(options: readonly Option[], worthOf: (option: Option) => number) {
  let best = options[0]!;
  let most = -Infinity;
  for (const option of options) {
    const worth = worthOf(option);
    if (worth <= most) continue;
    best = option;
    most = worth;
  }
  return { option: best, worth: most };
}

function latencyOf(samples: readonly ThroughputSample[]): number {
  const latest = samples.slice(-LATENCY_SAMPLES);
  const sum = latest.reduce((total, { timeToFirstByte = 0 }) => total + timeToFirstByte, 0);
  return latest.length === 0 ? 0 : sum / latest.length;
}
