import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  LossEstimator,
  ThroughputEstimator,
  type Abr,
  type DecisionState,
  type Review,
} from '../../../src/abr-star/index.js';
import { ManifestError } from '../../../src/manifest/errors.js';
import type { RepresentationMap, SegmentMap } from '../../../src/manifest/segment-map.js';
import { RateControl, type Situation } from './rate-control.js';
import type { DecisionEvent } from '../../api/types.js';

/** 100 reliable bytes and steps of 0, 100 and 200 unreliable ones, times `scale`. */
function segment(scale: number): SegmentMap {
  const steps = [0, 1, 2].map((frames) => ({ frames, bytes: frames * 100 * scale, score: 0.5 + frames / 10 }));
  return { range: { start: 0, end: 300 * scale }, reliable: [], unreliable: [], reliableBytes: 100 * scale, steps };
}

function representation(id: string, scale: number, read = () => segment(scale)): RepresentationMap {
  return { id, metric: 'ssim', averageScore: 0.7, bandwidth: scale * 1000, segmentCount: 9, segment: read };
}

const [low, middle, high] = [representation('low', 1), representation('middle', 2), representation('high', 3)];
const situation: Situation = { segmentIndex: 4, segmentDuration: 4, bufferLevel: 10, segments: 'partial' };

/** A download of which next to nothing has come. */
const progress = {
  phase: 'reliable',
  bytesReliable: 1,
  bytesUnreliable: 0,
  bytesRequested: 9,
  elapsed: 1,
} as const;

describe('RateControl', () => {
  /** Takes the last option, and answers reviews as told. */
  let abr: Abr & { states: DecisionState[]; review: ReturnType<typeof vi.fn<NonNullable<Abr['review']>>> };
  const reset = vi.fn();
  let decisions: DecisionEvent[];
  let estimator: ThroughputEstimator;
  let loss: LossEstimator;
  let control: RateControl;

  beforeEach(() => {
    const states: DecisionState[] = [];
    abr = {
      name: 'last',
      states,
      choose: (state) => ({ option: (states.push(state), state.options.at(-1)!), delay: 0.5 }),
      review: vi.fn((): Review => ({ action: 'continue' })),
      reset,
    };
    decisions = [];
    estimator = new ThroughputEstimator();
    loss = new LossEstimator();
    control = new RateControl(abr, { throughput: estimator, loss }, 7, (event) => decisions.push(event));
  });

  it('begins with less the farther the server is', () => {
    Object.assign(abr, { firstRate: middle.bandwidth });
    control.firstLink = { roundTrip: 0.1, rate: Infinity };
    expect(control.begin([high, low, middle], { segmentDuration: 1 })).toBe(middle);
    control.firstLink = { roundTrip: 0.11, rate: Infinity };
    expect(control.begin([high, low, middle], { segmentDuration: 1 })).toBe(low);
  });

  it('begins with no more than the link has carried of the manifest, and with what comes in 1.5 s', () => {
    Object.assign(abr, { firstRate: high.bandwidth });
    control.firstLink = { roundTrip: 0.1, rate: middle.bandwidth };
    expect(control.begin([high, low, middle], { segmentDuration: 1 })).toBe(middle);
    expect(control.begin([high, low, middle], { segmentDuration: 3 })).toBe(low);
    control.firstLink = { roundTrip: 0.1, rate: 1 };
    expect(control.begin([high, low, middle], { segmentDuration: 1 })).toBe(low);
  });

  it('begins with what the rule counts on where no size is known, or the lowest', () => {
    expect(control.begin([high, low, middle], { segmentDuration: 1 })).toBe(low);
    Object.assign(abr, { firstRate: middle.bandwidth + 1 });
    expect(control.begin([high, low, middle], { segmentDuration: 1 })).toBe(middle);
    Object.assign(abr, { firstRate: 1 });
    expect(control.begin([high, low, middle], { segmentDuration: 1 })).toBe(low);
  });

  it('puts every virtual level of every candidate before the rule, lowest bitrate first', () => {
    estimator.add({ bytes: 1000, seconds: 1 });
    const decision = control.decide([high, low], situation)!;
    expect(abr.states[0]).toMatchObject({
      ...{ segmentIndex: 4, segmentDuration: 4, bufferLevel: 10, bufferCapacity: 32, lastChoice: undefined },
      ladder: [{ bitrate: 1000 }, { bitrate: 3000 }],
    });
    expect(abr.states[0]!.throughput).toBeCloseTo(8000);
    expect(abr.states[0]!.options.map(({ representation: r, level, bytes }) => [r, level, bytes])).toEqual([
      ...[
        [0, 0, 100],
        [0, 1, 200],
        [0, 2, 300],
      ],
      ...[
        [1, 0, 300],
        [1, 1, 600],
        [1, 2, 900],
      ],
    ]);
    expect(decision).toMatchObject({ representation: high, option: { level: 2 }, levels: 3, delay: 0.5 });
    expect(decisions).toMatchObject([{ index: 4, representation: 'high', level: 2, bytes: 900, options: 6 }]);
  });

  it('passes on that a choice is for streams, for its restart too', () => {
    abr.choose = ({ options }) => ({ option: options.at(-1)!, delay: 0, delivery: 'streams' });
    const decision = control.decide([low, high], situation)!;
    expect(decision.delivery).toBe('streams');
    abr.review.mockImplementation(({ state }) => ({ action: 'restart', option: state.options[0]! }));
    expect(control.review(decision, progress, 1)).toMatchObject({ decision: { delivery: 'streams' } });
  });

  it('tells the rule what comes after the segment, to the end of the stream and no further than eight segments', () => {
    const growing = (segmentCount: number): RepresentationMap => ({
      ...representation('growing', 1),
      segment: (index) => (index < segmentCount ? segment(index + 1) : undefined),
    });
    control.decide([growing(6)], situation);
    control.decide([growing(99)], { ...situation, segmentIndex: 5 });
    const [towardsTheEnd, amid] = abr.states.map(({ upcoming }) => upcoming!.map((options) => options[0]!.bytes));
    expect(towardsTheEnd).toEqual([500, 600]);
    expect(amid).toEqual([600, 700, 800, 900, 1000, 1100, 1200, 1300]);
  });

  it('looks no further ahead than every index that is here now', () => {
    const known = (segments: number): RepresentationMap => ({
      ...low,
      segment: (index) => (index < segments ? segment(1) : undefined),
    });
    control.decide([known(5), known(9), known(7)], situation);
    control.decide([known(5), known(9), known(7)], { ...situation, segmentIndex: 5 });
    expect(abr.states.map(({ upcoming }) => upcoming!.map(({ length }) => length))).toEqual([[9], [6, 6]]);
  });

  it('tells the rule how much was lost lately', () => {
    control.decide([low], situation);
    loss.add({ bytesSent: 1000, bytesLost: 20 });
    control.decide([low], { ...situation, segmentIndex: 5 });
    expect(abr.states.map(({ lossRate }) => lossRate)).toEqual([undefined, 0.02]);
  });

  it('gives the same answer until the segment is delivered', () => {
    const decision = control.decide([low, high], situation);
    expect(control.decide([low, high], { ...situation, bufferLevel: 0 })).toBe(decision);
    expect(control.decideLevel(high, situation)).toBe(decision);
    control.delivered(3);
    expect(control.decide([low, high], situation)).toBe(decision);
    control.delivered(4);
    expect(control.decide([low, high], situation)).not.toBe(decision);
    expect(decisions).toHaveLength(2);
  });

  it('reviews the first segment with what is known of the others by then', () => {
    let isKnown = false;
    const later = representation('later', 1, () => (isKnown ? segment(1) : undefined)!);
    const decision = control.decide([later, high], situation)!;
    expect(abr.states[0]!.options.map((option) => option.representation)).not.toContain(0);
    isKnown = true;
    abr.review.mockImplementation(({ state }) => ({ action: 'restart', option: state.options[0]! }));
    expect(control.review(decision, progress, 0)).toMatchObject({ decision: { representation: later } });
  });

  it('keeps decisions by segment: neither a choice ahead nor a review of the running one overwrites the other', () => {
    const running = control.decide([low, high], situation)!;
    const ahead = control.decideAhead({ ...situation, segmentIndex: 5, bufferLevel: 12 }, { bytes: 1000, seconds: 1 })!;
    expect(abr.states[1]).toMatchObject({ segmentIndex: 5, bufferLevel: 12, lastChoice: running.option });
    expect(abr.states[1]!.throughput).toBeCloseTo(8000);
    expect(estimator.throughput).toBeUndefined();
    expect(control.decide([low, high], { ...situation, segmentIndex: 5 })).toBe(ahead);
    expect(control.decideLevel(high, situation)).toBe(running);
    control.review(running, progress, 3);
    expect(abr.review.mock.lastCall![0].state).toMatchObject({ segmentIndex: 4, lastChoice: undefined });
    control.delivered(4);
    expect(control.decideLevel(high, { ...situation, segmentIndex: 5 })).toBe(ahead);
    expect(decisions.map(({ index }) => index)).toEqual([4, 5]);
  });

  it('decides anew on the next segment when the running one is restarted', () => {
    const running = control.decide([low, high], situation)!;
    const ahead = control.decideAhead({ ...situation, segmentIndex: 5 }, { bytes: 1000, seconds: 1 })!;
    abr.review.mockImplementation(({ state }) => ({ action: 'restart', option: state.options[0]! }));
    control.review(running, progress, 1);
    expect(control.decide([low, high], { ...situation, segmentIndex: 5 })).not.toBe(ahead);
    expect(abr.states[2]!.lastChoice).toMatchObject({ representation: 0, level: 0 });
  });

  it('offers whole segments only where nothing else can be had', () => {
    control.decide([low, high], { ...situation, segments: 'whole' });
    expect(abr.states[0]!.options.map(({ level }) => level)).toEqual([2, 2]);
  });

  it('chooses a level of the representation that dash.js took against the decision', () => {
    control.decide([low, middle, high], situation);
    expect(control.decideLevel(middle, situation)).toMatchObject({
      representation: middle,
      option: { representation: 1 },
    });
    expect(abr.states[1]!.options.every((option) => option.representation === 1)).toBe(true);
  });

  it('finds the last choice again when the ladder has changed', () => {
    control.decide([low, high], situation);
    control.decide([low, middle, high], { ...situation, segmentIndex: 5 });
    expect(abr.states[1]!.lastChoice).toMatchObject({ representation: 2, level: 2 });
    control.decide([low, middle], { ...situation, segmentIndex: 6 });
    expect(abr.states[2]!.lastChoice).toBeUndefined();
  });

  it('leaves out representations without data for the segment, good or bad, and says when none has any', () => {
    const none = { ...low, segment: () => undefined };
    const bad = representation('bad', 2, () => {
      throw new ManifestError('syntax', 'bad');
    });
    expect(control.decide([none, bad, high], situation)!.representation).toBe(high);
    expect(control.decide([none, bad], { ...situation, segmentIndex: 5 })).toBeUndefined();
  });

  it('shows the rule a download as it stands', () => {
    const decision = control.decide([low, high], situation)!;
    const arrived = { bytesReliable: 300, bytesUnreliable: 350, bytesRequested: 900, elapsed: 2 };
    control.review(decision, { ...arrived, phase: 'unreliable' }, 3);
    expect(abr.review.mock.lastCall![0]).toMatchObject({
      ...{ elapsed: 2, bytesReceived: 650, phase: 'unreliable', levelReceived: 1, option: { level: 2 } },
      state: { bufferLevel: 3 },
    });
    control.review(decision, { ...arrived, phase: 'reliable' }, 3);
    expect(abr.review.mock.lastCall![0].levelReceived).toBe(0);
    expect(abr.review.mock.lastCall![0].handedOver).toBeUndefined();
  });

  it('tells the rule that the player gets pieces, and which part of a download it has', () => {
    const decision = control.decide([low, high], { ...situation, pieceSeconds: 0.5 })!;
    expect(decision.state.pieceSeconds).toBe(0.5);
    const arrived = { bytesReliable: 300, bytesUnreliable: 350, bytesRequested: 900, elapsed: 2 };
    control.review(decision, { ...arrived, phase: 'unreliable' }, 3, 1.5);
    expect(abr.review.mock.lastCall![0]).toMatchObject({ handedOver: 1.5, state: { bufferLevel: 3 } });
  });

  it('takes a restart for the new decision, and what had come for a throughput sample', () => {
    const decision = control.decide([low, high], situation)!;
    const option = abr.states[0]!.options[1]!;
    abr.review.mockReturnValue({ action: 'restart', option });
    const progress = {
      phase: 'reliable',
      bytesReliable: 500,
      bytesUnreliable: 0,
      bytesRequested: 900,
      elapsed: 1,
    } as const;
    const review = control.review(decision, progress, 3);
    expect(review).toMatchObject({ action: 'restart', decision: { representation: low, option: { level: 1 } } });
    expect(control.decideLevel(low, situation)).toMatchObject({ option: { level: 1 } });
    expect(estimator.throughput).toBeCloseTo(4000);
  });

  it('forgets choices on reset, but not the link', () => {
    estimator.add({ bytes: 1000, seconds: 1 });
    control.decide([low, high], situation);
    control.reset();
    control.decide([low, high], situation);
    expect(reset).toHaveBeenCalledOnce();
    expect(abr.states[1]).toMatchObject({ lastChoice: undefined });
    expect(abr.states[1]!.throughput).toBeCloseTo(8000);
  });
});
