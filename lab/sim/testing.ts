import type { Abr, DownloadProgress, LadderRepresentation, Option, Review } from '../../src/abr-star/index.js';
import { createAbr, type AbrName } from '../rivals/registry.js';
import { ladderSegments } from '../../src/abr-star/testing/ladder.js';
import { makeContent, withSegmentCount, type Content } from './content/content.js';
import { FlatTransport } from './link/flat-transport.js';
import { strategyOf } from '../strategies/strategies.js';
import { Link } from './link/link.js';
import { seededRandom } from './random.js';
import { layOut } from './content/segment-layout.js';
import { playSession, type SessionRecord, type SessionSetup } from './session.js';
import { makeTrace } from './link/trace.js';

/**
 * Six segments of 1 s. Level 0 has 10 kB, all of it reliable, and scores 0.8; level 1 has 100 kB, 20 kB of it reliable, and
 * scores 1, 0.9 with half of the rest, 0.5 with none of it.
 */
export const SMALL_CONTENT: Content = makeContent({
  name: 'small',
  segmentDuration: 1,
  ladder: [
    { bitrate: 80e3, averageScore: 0.8 },
    { bitrate: 800e3, averageScore: 1 },
  ],
  segments: Array.from({ length: 6 }, () => [
    layOut({ reliableBytes: 10e3, steps: [{ score: 0.8, frames: 0, bytes: 0 }] }),
    layOut({
      reliableBytes: 20e3,
      steps: [
        { score: 0.5, frames: 0, bytes: 0 },
        { score: 0.9, frames: 10, bytes: 40e3 },
        { score: 1, frames: 20, bytes: 80e3 },
      ],
    }),
  ]),
});

/** Segments of 4 s in the representations of a ladder, at constant bitrate times each of the `scales` in turn. */
export function ladderContent(ladder: readonly LadderRepresentation[], count: number, scales: readonly number[] = [1]) {
  const segments = scales.map((scale) => ladderSegments(ladder, SEGMENT_DURATION, scale).map(layOut));
  return withSegmentCount(makeContent({ name: 'ladder', segmentDuration: SEGMENT_DURATION, ladder, segments }), count);
}

const SEGMENT_DURATION = 4;

export interface RuleSession {
  readonly name: AbrName;
  readonly bufferSegments: number;
  readonly content: Content;
  /** Bit/s, each for `step` seconds, then from the start again. */
  readonly rates: readonly number[];
  readonly step: number;
}

/** A rule alone over the simplest server with a latency of 50 ms: nothing is lost, nothing fetched again. */
export function playRule({ name, bufferSegments, content, rates, step }: RuleSession): SessionRecord {
  return playSession({
    ...{ content, bufferSegments },
    rule: { abr: createAbr(name), deliveryOf: () => 'streams', strategy: strategyOf('clipstream') },
    transport: new FlatTransport(new Link(makeTrace('link', step, rates)), 0.05),
    random: seededRandom(1),
  });
}

export interface Script {
  /** [representation, level] of each segment. */
  readonly choices: readonly (readonly [representation: number, level: number])[];
  readonly delays?: readonly number[];
  readonly review?: (progress: DownloadProgress) => Review;
}

/** A rule that does what it is told. */
export function scriptedAbr({ choices, delays = [], review = () => ({ action: 'continue' }) }: Script): Abr {
  return {
    name: 'scripted',
    choose: ({ segmentIndex, options }) => ({
      option: optionOf(options, choices[segmentIndex]!),
      delay: delays[segmentIndex] ?? 0,
    }),
    review,
    reset: () => undefined,
  };
}

export function optionOf(options: readonly Option[], [representation, level]: readonly [number, number]): Option {
  return options.find((option) => option.representation === representation && option.level === level)!;
}

/** `SMALL_CONTENT` over a link without latency or loss at those rates (Mbit/s, 1 s each, repeated). */
export function smallSession(script: Script, mbps: readonly number[], setup: Partial<SessionSetup> = {}): SessionSetup {
  const link = new Link(
    makeTrace(
      'link',
      1,
      mbps.map((rate) => rate * 1e6),
    ),
  );
  return {
    content: SMALL_CONTENT,
    rule: { abr: scriptedAbr(script), deliveryOf: () => 'datagrams', strategy: strategyOf('clipstream') },
    transport: new FlatTransport(link, 0),
    bufferSegments: 2,
    random: seededRandom(1),
    ...setup,
  };
}
