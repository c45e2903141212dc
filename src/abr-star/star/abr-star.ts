import { bufferOf, waitForRoom } from '../buffer.js';
import { candidatesOf, thinned, type Candidates } from './candidates.js';
import type { Constants } from './constants.js';
import { Expectation, plan, type Download, type Outlook } from './plan.js';
import { ProgressThroughput, REVIEW_GRACE } from '../progress.js';
import { outageStall, prospectsAround, rateDeviation, safeRate, unsteadiness, withFade } from './prospects.js';
import { scoreAtRate, scoreRange } from './score-scale.js';
import { behind, remainders, scoreOfArrived } from './under-way.js';
import { memoize } from '../memoize.js';
import { wholeSegment } from '../options.js';
import { recentRate } from '../throughput.js';
import type { Abr, Choice, DecisionState, DownloadProgress, Option, Review, ThroughputSample } from '../types.js';
import type { ValueTable } from './value-table.js';

/** How many samples tell the latency. */
const LATENCY_SAMPLES = 5;

/** Share of the estimate below which no rate is taken to have fallen: what has just stopped comes back. */
const LEAST_LEFT = 0.05;

/** What a choice was made on, for the reviews of its download. */
interface Basis {
  /** Outlook of the segment chosen. */
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
  /** A review ended it. */
  isCut: boolean;
}

/**
 * Plans the next segments for the best quality of experience that can be expected, over exact sizes, with keeping what has
 * arrived as the way out of a wrong guess (docs/ABR.md).
 */
export class AbrStar implements Abr {
  readonly name = 'abr-star';
  readonly firstRate: number;
  readonly #candidates = memoize(candidatesOf);
  readonly #fewCandidates = memoize((options: readonly Option[]) => thinned(this.#candidates(options)));
  /** Segments under way, by their index: the next one may be chosen before the former is here. */
  readonly #running = new Map<number, Running>();

  constructor(private readonly constants: Constants) {
    this.firstRate = constants.firstRate;
  }

  choose(state: DecisionState): Choice {
    const delay = waitForRoom(bufferOf(state));
    const basis = this.#basisOf(state);
    for (const index of this.#running.keys()) if (index !== state.segmentIndex - 1) this.#running.delete(index);
    this.#running.set(state.segmentIndex, { progress: new ProgressThroughput(), basis, isCut: false });
    const { lastChoice } = state;
    if (!basis || !lastChoice) return { option: this.#firstOption(state, basis), delay, delivery: 'streams' };
    const { outlook, after } = basis;
    const bufferLevel = state.bufferLevel - delay;
    const { options, floors } = this.#candidates(state.options);
    const expectation = new Expectation(outlook, [bufferLevel], after);
    const { option } = highest(options, (candidate) => {
      const worth = expectation.worthsOf(candidate, floors[candidate.representation]!)[0]!;
      return worth - changeCost(lastChoice, candidate, outlook);
    });
    const isLossy = (state.lossRate ?? 0) >= this.constants.lossLimit;
    const isSafer = isLossy && hasTimeForRepeats(option, { ...state, bufferLevel }, basis);
    return isSafer ? { option, delay, delivery: 'streams' } : { option, delay };
  }

  review(progress: DownloadProgress): Review {
    const { state, elapsed, bytesReceived } = progress;
    const running = this.#running.get(state.segmentIndex);
    running?.progress.update(elapsed, bytesReceived);
    const review = this.#judge(progress, running);
    if (running && review.action === 'keep') running.isCut = true;
    if (running && review.action === 'restart') running.progress = new ProgressThroughput();
    return review;
  }

  #judge(progress: DownloadProgress, running: Running | undefined): Review {
    const { state, option, elapsed, bytesReceived, phase } = progress;
    if (!running || elapsed < REVIEW_GRACE) return { action: 'continue' };
    if (!state.lastChoice) return this.#judgeStart(progress, running.progress.throughput);
    if (!running.basis) return { action: 'continue' };
    const { rate } = running.basis;
    const { bandwidthSafety, progressWeight, lastMoment } = this.constants;
    const now = progressWeight * bandwidthSafety * running.progress.throughput + (1 - progressWeight) * rate;
    const secondsLeft = ((option.bytes - bytesReceived) * 8) / now;
    // However little is left: it may wait for repeats, and they for theirs.
    if (phase === 'unreliable' && state.bufferLevel <= lastMoment) return { action: 'keep' };
    if (secondsLeft <= state.bufferLevel) return { action: 'continue' };
    return this.#restartIfBetter(progress, running.basis, now);
  }

  /** Before anything plays a second costs as much as in a stall: that weighs what is here, what may still come, and another representation. With `now` bit/s. */
  #judgeStart(progress: DownloadProgress, now: number): Review {
    const { state, option, elapsed, phase } = progress;
    const { startUp, stallWeight, stepWeight, restartGain } = this.constants;
    if (now === 0) return { action: 'continue' };
    const range = scoreRange(state.ladder);
    const perByte = (8 / now) * ((stallWeight * range) / state.segmentDuration);
    const worth = ({ bytes, score }: Download) => (1 + stepWeight) * score - perByte * bytes;
    const goingOn = Math.max(...remainders(progress).map(worth));
    const isHere = phase === 'unreliable' && elapsed >= startUp;
    if (isHere && (1 + stepWeight) * scoreOfArrived(progress) >= goingOn) return { action: 'keep' };
    const lower = this.#candidates(state.options).options.filter(
      (other) => other.representation < option.representation,
    );
    return this.#restartWith(lower, progress, worth, goingOn + restartGain * range);
  }

  /** With `now` bit/s. */
  #restartIfBetter(progress: DownloadProgress, { outlook, after, range }: Basis, now: number): Review {
    const { state, option, bytesReceived } = progress;
    const { lateDeviation, restartGain } = this.constants;
    const bytesLeft = option.bytes - bytesReceived;
    const { options, floors } = this.#candidates(state.options);
    const lower = options.filter((other) => other.representation < option.representation && other.bytes < bytesLeft);
    const { lastChoice } = state;
    if (lower.length === 0 || !lastChoice) return { action: 'continue' };
    const late = { ...outlook, prospects: prospectsAround(now, lateDeviation) };
    const worth = (expectation: Expectation, download: Download, floor: number) =>
      expectation.worthsOf(download, floor)[0]! - changeCost(lastChoice, download, outlook);
    const restarted = new Expectation(late, [state.bufferLevel], after);
    const continued = new Expectation({ ...late, latency: 0 }, [state.bufferLevel], after);
    const floor = scoreOfArrived(progress);
    const goingOn = Math.max(...remainders(progress).map((remainder) => worth(continued, remainder, floor)));
    const worthOfRestart = (download: Download) => worth(restarted, download, floors[download.representation]!);
    return this.#restartWith(lower, progress, worthOfRestart, goingOn + restartGain * range);
  }

  /** With the best of these options, behind what waits in queues, where that is worth more than `least`. */
  #restartWith(
    options: readonly Option[],
    { option, bytesReceived }: DownloadProgress,
    worthOf: (download: Download) => number,
    least: number,
  ): Review {
    if (options.length === 0) return { action: 'continue' };
    const queued = Math.min(this.constants.bytesInQueues, option.bytes - bytesReceived);
    const best = highest(options, (other) => worthOf(behind(queued, other)));
    return best.worth > least ? { action: 'restart', option: best.option } : { action: 'continue' };
  }

  reset(): void {
    this.#running.clear();
  }

  /**
   * All of the representation of which enough should be here in time for a quick start: reviews end the download then. The lowest
   * representation if there is none.
   */
  #firstOption({ options }: DecisionState, basis: Basis | undefined): Option {
    const { startUp, firstRate } = this.constants;
    const bytes = ((startUp - (basis?.outlook.latency ?? 0)) * (basis?.rate ?? firstRate)) / 8;
    const enough = this.#candidates(options).options.findLast((option) => option.bytes <= bytes);
    return wholeSegment(options, enough?.representation ?? 0);
  }

  /** Undefined as long as nothing is known of the link. */
  #basisOf(state: DecisionState): Basis | undefined {
    const constants = this.constants;
    const { stallWeight, switchWeight, stepWeight, segmentsBeyond, horizon } = constants;
    const { ladder, samples, upcoming } = state;
    const estimate = recentRate(samples, constants.halfLife) ?? state.throughput;
    if (!estimate) return undefined;
    const { segmentDuration, bufferCapacity } = bufferOf(state);
    const deviation = rateDeviation(samples, constants);
    const rate = safeRate(this.#lately(state, estimate), deviation, constants);
    const range = scoreRange(ladder);
    const prospects = prospectsAround(rate, deviation);
    const ahead: Outlook = {
      segmentDuration,
      bufferCapacity,
      latency: latencyOf(samples),
      prospects,
      stallWeight: (stallWeight * range) / segmentDuration,
      stepWeight,
      switchCharge: switchWeight * range * unsteadiness(deviation, constants),
    };
    const beyond = segmentsBeyond * segmentDuration;
    const isNearTheEnd = upcoming !== undefined && upcoming.length <= horizon;
    const worthAtEnd = (bufferLevel: number) =>
      segmentsBeyond * scoreAtRate(ladder, rate * (1 + bufferLevel / beyond)) -
      ahead.stallWeight * outageStall(bufferLevel, deviation, constants);
    const after = plan(this.#segmentsAhead(state), ahead, isNearTheEnd ? () => 0 : worthAtEnd);
    const outlook = { ...ahead, prospects: withFade(prospects, deviation, constants) };
    return { outlook, after, rate, range };
  }

  /** The estimate, or what a download that was cut short had come down to: its mean does not tell that the link has failed since. */
  #lately({ segmentIndex }: DecisionState, estimate: number): number {
    const before = this.#running.get(segmentIndex - 1);
    if (!before?.isCut) return estimate;
    return Math.min(estimate, Math.max(before.progress.throughput, LEAST_LEFT * estimate));
  }

  /** Where they are not known, they are taken to be like the next one. */
  #segmentsAhead({ options, upcoming }: DecisionState): Candidates[] {
    const { horizon } = this.constants;
    const segments = upcoming ? upcoming.slice(1, 1 + horizon) : Array.from({ length: horizon }, () => options);
    return segments.map(this.#fewCandidates);
  }
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

/** What it costs that one segment is not as the one before. */
function changeCost(before: Option, { representation, score }: Download, outlook: Outlook): number {
  const { stepWeight, switchCharge } = outlook;
  const step = stepWeight * Math.abs(score - before.score);
  return representation === before.representation ? step : step + switchCharge;
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
