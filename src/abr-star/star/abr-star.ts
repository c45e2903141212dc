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

/** Seconds of video that make the first impression. */
const FIRST_SECONDS = 10;

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
  basis: Basis | undefined;
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
    const impression = this.#impression(state);
    const { option } = highest(options, (candidate) => {
      const worth = expectation.worthsOf(candidate, floors[candidate.representation]!)[0]!;
      return worth - changeCost(lastChoice, candidate, outlook) + impression * candidate.score;
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
    const { handedOver = 0 } = progress;
    // Nothing is known of the link yet, and slow start tells little.
    if (!state.lastChoice && running.progress.isGrowing) return { action: 'continue' };
    if (!state.lastChoice)
      return handedOver > 0
        ? this.#judgeFirst(progress, running)
        : this.#judgeStart(progress, running.progress.throughput);
    if (!running.basis) return { action: 'continue' };
    const { rate } = running.basis;
    const { bandwidthSafety, progressWeight, lastMoment } = this.constants;
    const now = progressWeight * bandwidthSafety * running.progress.throughput + (1 - progressWeight) * rate;
    const secondsLeft = ((option.bytes - bytesReceived) * 8) / now;
    // What there is of the segments before.
    const open = state.bufferLevel - handedOver;
    // However little is left: it may wait for repeats, and they for theirs.
    if (phase === 'unreliable' && open <= lastMoment) return { action: 'keep' };
    if (handedOver > 0 || secondsLeft <= open) return { action: 'continue' };
    return this.#restartIfBetter(progress, running.basis, now);
  }

  /** Judges a first segment that plays already, in pieces: keeps what is here where the next one's time is worth more than the rest. */
  #judgeFirst(progress: DownloadProgress, running: Running): Review {
    const { state, option, bytesReceived, phase, handedOver = 0 } = progress;
    const { lateDeviation, bytesInQueues } = this.constants;
    const now = running.progress.throughput;
    if (phase === 'reliable' || now === 0) return { action: 'continue' };
    running.basis ??= this.#basisAt(state, now);
    if (!running.basis) return { action: 'continue' };
    const { outlook, after } = running.basis;
    const rest = new Expectation({ ...outlook, prospects: prospectsAround(now, lateDeviation) }, [], after);
    const floor = scoreOfArrived(progress);
    const level = state.bufferLevel + state.segmentDuration - handedOver;
    const worthOf = (download: Download) => {
      // What waits in queues comes before the next segment.
      const bytesBehind = Math.min(bytesInQueues, option.bytes - bytesReceived - download.bytes);
      return rest.worthOfRest({ download, bytesBehind, floor, level });
    };
    const here = { representation: option.representation, bytes: 0, reliableBytes: 0, score: floor };
    const more = remainders(progress).filter(({ bytes }) => bytes > 0);
    return worthOf(here) >= Math.max(...more.map(worthOf)) ? { action: 'keep' } : { action: 'continue' };
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

  /** All of a representation, the lowest if nothing speaks for another; reviews end the download in time. */
  #firstOption(state: DecisionState, basis: Basis | undefined): Option {
    const { startUp, firstRate } = this.constants;
    const { options, pieceSeconds } = state;
    if (pieceSeconds !== undefined) return this.#firstInPieces(state, basis ?? this.#basisAt(state, firstRate));
    const bytes = ((startUp - (basis?.outlook.latency ?? 0)) * (basis?.rate ?? firstRate)) / 8;
    const enough = this.#candidates(options).options.findLast((option) => option.bytes <= bytes);
    return wholeSegment(options, enough?.representation ?? 0);
  }

  /** The one that is worth most after the wait for its first piece, and for the rest to keep up. */
  #firstInPieces({ options }: DecisionState, basis: Basis | undefined): Option {
    if (!basis) return wholeSegment(options, 0);
    const { options: candidates, floors } = this.#candidates(options);
    const expectation = new Expectation(basis.outlook, [0], basis.after);
    const best = highest(candidates, (option) => expectation.worthsOf(option, floors[option.representation]!)[0]!);
    return wholeSegment(options, best.option.representation);
  }

  /** What a segment's score counts besides, as far as it makes the first impression, where the start takes less than a segment. */
  #impression({ segmentIndex, segmentDuration, pieceSeconds }: DecisionState): number {
    if (pieceSeconds === undefined) return 0;
    return this.constants.firstWeight * Math.min(1, Math.max(0, FIRST_SECONDS / segmentDuration - segmentIndex));
  }

  /** The basis of a link that is taken to have that rate, in bit/s. */
  #basisAt(state: DecisionState, rate: number): Basis | undefined {
    return this.#basisOf({ ...state, samples: [{ bytes: rate / 8, seconds: 1 }] });
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
      pieceSeconds: state.pieceSeconds,
      bufferCapacity,
      latency: latencyOf(samples),
      lastMoment: constants.lastMoment,
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
