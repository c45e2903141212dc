import type {
  Abr,
  Choice,
  DecisionState,
  Option,
  ThroughputEstimator,
  ThroughputSample,
} from '../../../src/abr-star/index.js';
import {
  decisionState,
  firstRateOver,
  levelReached,
  linkState,
  UpcomingOptions,
  wholeAlone,
  type FirstLink,
  type LinkEstimate,
} from '../../../src/delivery/index.js';
import type { RepresentationMap } from '../../../src/manifest/segment-map.js';
import type { SegmentProgress } from '../../../src/voxel-loader/types.js';
import type { DecisionEvent } from '../../api/types.js';

/** What is known when a segment must be chosen. Times in seconds. */
export interface Situation {
  readonly segmentIndex: number;
  readonly segmentDuration: number;
  readonly bufferLevel: number;
  /** `whole`: over HTTP there is no choosing of frames. */
  readonly segments: 'partial' | 'whole';
  /** Seconds of a piece in which the player gets a segment that is waited for; undefined: it gets whole segments alone. */
  readonly pieceSeconds?: number | undefined;
}

/** The estimate of the link, to which a restart adds. */
type MeasuredLink = LinkEstimate & { readonly throughput: Pick<ThroughputEstimator, 'add' | 'with'> };

export interface Decision {
  readonly state: DecisionState;
  readonly representation: RepresentationMap;
  readonly option: Option;
  /** Quality steps of the segment in that representation. */
  readonly levels: number;
  /** Seconds to wait before the request. */
  readonly delay: number;
  /** `streams`: even where datagrams are the default. */
  readonly delivery: Choice['delivery'];
  /** The ladder that `state` speaks of, lowest bitrate first. */
  readonly ladder: readonly RepresentationMap[];
}

export type ReviewResult =
  { readonly action: 'continue' | 'keep' } | { readonly action: 'restart'; readonly decision: Decision };

/**
 * Puts what the player knows before the bitrate rule, and remembers the answer for the loader: dash.js asks for a
 * representation first, perhaps twice, and downloads the segment later.
 */
export class RateControl {
  #candidates: readonly RepresentationMap[] = [];
  /** Decisions by segment: the next one may be decided on while one is under way. */
  readonly #decisions = new Map<number, Decision>();
  #previous: Decision | undefined;
  readonly #upcoming = new UpcomingOptions();
  /** What loading the manifest has shown. */
  firstLink: FirstLink = { roundTrip: 0, rate: Infinity };

  constructor(
    private readonly abr: Abr,
    private readonly link: MeasuredLink,
    /** Segments that the buffer holds beside the one in flight. */
    private readonly bufferSegments: number,
    private readonly onDecision: (event: DecisionEvent) => void,
  ) {}

  /**
   * The representation and level for a segment, the same until it is delivered or another segment is asked for.
   * `candidates`: what dash.js allows now. Undefined: none of them has VOXEL data for that segment.
   */
  decide(candidates: readonly RepresentationMap[], situation: Situation): Decision | undefined {
    this.#candidates = candidates;
    return this.#standing(situation, candidates) ?? this.#decide(candidates, situation);
  }

  /** What to ask for first, while the segments' sizes are not known: `decideLevel` then says how much of it. */
  begin(
    candidates: readonly RepresentationMap[],
    { segmentDuration, pieceSeconds }: Pick<Situation, 'segmentDuration' | 'pieceSeconds'>,
  ): RepresentationMap {
    this.#candidates = candidates;
    const rate = firstRateOver(this.abr.firstRate, this.firstLink, {
      segmentDuration,
      inPieces: pieceSeconds !== undefined,
    });
    const ascending = [...candidates].sort((a, b) => a.bandwidth - b.bandwidth);
    return ascending.findLast(({ bandwidth }) => bandwidth <= rate) ?? ascending[0]!;
  }

  /**
   * Among the candidates of the last decision: for a segment that dash.js has not asked for yet. `sample`: what the download
   * under way shows of the link.
   */
  decideAhead(situation: Situation, sample: ThroughputSample): Decision | undefined {
    const link = { ...this.link, throughput: this.link.throughput.with(sample) };
    return this.#standing(situation, this.#candidates) ?? this.#decide(this.#candidates, situation, link);
  }

  /** The decision that `decide` gave, or the level of a segment whose representation dash.js chose itself, as it does after a seek. */
  decideLevel(representation: RepresentationMap, situation: Situation): Decision | undefined {
    return this.#standing(situation, [representation]) ?? this.#decide([representation], situation);
  }

  /** Looks at a download under way. In seconds: what is left to play, and what of it is of this segment. */
  review(decision: Decision, progress: SegmentProgress, bufferLevel: number, handedOver = 0): ReviewResult {
    const { representation, option, ladder, delay, delivery } = decision;
    // The first segment is asked for as soon as its own index is here: by its reviews others have come.
    const now = decision.state.lastChoice ? [] : this.#upcoming.from(ladder, decision.state.segmentIndex);
    const [options = decision.state.options] = now;
    const state = { ...decision.state, ...linkState(this.link), bufferLevel, options };
    const steps = representation.segment(state.segmentIndex)?.steps;
    // Without steps the index has changed meanwhile.
    const review =
      steps &&
      this.abr.review?.({
        state,
        option,
        elapsed: progress.elapsed,
        bytesReceived: progress.bytesReliable + progress.bytesUnreliable,
        phase: progress.phase,
        levelReceived: progress.phase === 'reliable' ? 0 : levelReached(steps, progress.bytesUnreliable),
        ...(handedOver > 0 && { handedOver }),
      });
    if (review?.action !== 'restart') return review ?? { action: 'continue' };
    // What has arrived is thrown away, but what it says about the link is not.
    this.link.throughput.add({ bytes: progress.bytesReliable + progress.bytesUnreliable, seconds: progress.elapsed });
    const restarted = { state, ladder, delay, delivery, ...chosen(ladder, review.option, state.segmentIndex) };
    return { action: 'restart', decision: this.#remember(restarted) };
  }

  /** A segment was appended: if it is asked for again, it is a new decision. */
  delivered(segmentIndex: number): void {
    this.#decisions.delete(segmentIndex);
  }

  /** After a seek: the buffer is another one, the link is the same. */
  reset(): void {
    this.abr.reset();
    this.#decisions.clear();
    this.#previous = undefined;
  }

  #standing({ segmentIndex }: Situation, candidates: readonly RepresentationMap[]): Decision | undefined {
    const decision = this.#decisions.get(segmentIndex);
    return decision && candidates.includes(decision.representation) ? decision : undefined;
  }

  #decide(
    candidates: readonly RepresentationMap[],
    situation: Situation,
    link: LinkEstimate = this.link,
  ): Decision | undefined {
    const { segmentIndex, segmentDuration, bufferLevel, segments, pieceSeconds } = situation;
    const ladder = [...new Set([...this.#candidates, ...candidates])].sort((a, b) => a.bandwidth - b.bandwidth);
    const all = this.#upcoming.from(ladder, segmentIndex);
    const upcoming = segments === 'whole' ? all.map(wholeAlone) : all;
    const [options = []] = upcoming;
    const choosable =
      candidates.length === ladder.length
        ? options
        : options.filter(({ representation }) => candidates.includes(ladder[representation]!));
    if (choosable.length === 0) return undefined;
    // The last choice by its place in today's ladder: filters come and go.
    const place = this.#previous ? ladder.indexOf(this.#previous.representation) : -1;
    const state = decisionState({
      segmentIndex,
      segmentDuration,
      bufferLevel,
      pieceSeconds,
      upcoming,
      bufferSegments: this.bufferSegments,
      link,
      lastChoice: place === -1 ? undefined : { ...this.#previous!.option, representation: place },
      ladder: ladder.map(({ bandwidth, averageScore }) => ({ bitrate: bandwidth, averageScore })),
    });
    const { option, delay, delivery } = this.abr.choose({ ...state, options: choosable });
    return this.#remember({ state, ladder, delay, delivery, ...chosen(ladder, option, segmentIndex) });
  }

  #remember(decision: Decision): Decision {
    const { segmentIndex } = decision.state;
    // What was decided on later segments counted on another one before them; what was decided long ago is of no use.
    for (const index of this.#decisions.keys()) {
      if (index > segmentIndex || index < segmentIndex - 1) this.#decisions.delete(index);
    }
    this.#decisions.set(segmentIndex, decision);
    this.#previous = decision;
    const { state, representation, option, levels, delay } = decision;
    this.onDecision({
      index: segmentIndex,
      representation: representation.id,
      bandwidth: representation.bandwidth,
      level: option.level,
      levels,
      score: option.score,
      bytes: option.bytes,
      buffer: state.bufferLevel,
      throughput: state.throughput,
      delay,
      options: state.options.length,
    });
    return decision;
  }
}

function chosen(
  ladder: readonly RepresentationMap[],
  option: Option,
  segmentIndex: number,
): Pick<Decision, 'representation' | 'option' | 'levels'> {
  const representation = ladder[option.representation]!;
  return { representation, option, levels: representation.segment(segmentIndex)!.steps.length };
}
