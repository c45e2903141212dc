import fc from 'fast-check';
import type { DecisionState, LadderRepresentation, Option, ThroughputSample } from '../types.js';

/** Scores of any metric: SSIM lies below 1, PSNR and VMAF reach 100. No finer than the five decimals that are stored. */
const score = fc.integer({ min: 0, max: 100e5 }).map((steps) => steps / 1e5);

const bytes = fc.nat({ max: 50_000_000 });

/** Nothing known, a dead link, and anything up to 10 Gbit/s. */
const throughput = fc.oneof(fc.constant(undefined), fc.constant(0), fc.double({ min: 1, max: 1e10, noNaN: true }));

/** A ladder as hostile as a manifest can be: equal bitrates, equal scores, scores that fall as bitrates rise. */
const ladder: fc.Arbitrary<LadderRepresentation[]> = fc
  .array(fc.record({ bitrate: fc.integer({ min: 1, max: 1e9 }), averageScore: score }), { minLength: 1, maxLength: 13 })
  .map((levels) => levels.sort((a, b) => a.bitrate - b.bitrate));

/** Options of some of the ladder's representations, from a single one up; scores in no order. */
function options(representations: number): fc.Arbitrary<Option[]> {
  const prefix = fc.record({ score, bytes });
  return fc
    .array(fc.record({ reliableBytes: bytes, prefixes: fc.array(prefix, { minLength: 1, maxLength: 5 }) }), {
      minLength: 1,
      maxLength: representations,
    })
    .map((segments) =>
      segments.flatMap(({ reliableBytes, prefixes }, representation) =>
        prefixes
          .sort((a, b) => a.bytes - b.bytes)
          .map((step, level) => ({
            representation,
            level,
            score: step.score,
            bytes: reliableBytes + step.bytes,
            reliableBytes,
          })),
      ),
    );
}

/** What is known of a link that has had this throughput for some downloads of a second each. */
export function knownThroughput(throughput: number | undefined): Pick<DecisionState, 'throughput' | 'samples'> {
  const samples: ThroughputSample[] = throughput
    ? Array.from({ length: 3 }, () => ({ bytes: throughput / 8, seconds: 1 }))
    : [];
  return { throughput, samples };
}

/** Anything that a rule may be asked, for one stream: same ladder, duration and capacity throughout. */
export const arbitraryStates: fc.Arbitrary<DecisionState[]> = fc
  .record({
    ladder,
    segmentDuration: fc.double({ min: 0.5, max: 20, noNaN: true }),
    bufferSegments: fc.integer({ min: 0, max: 7 }),
  })
  .chain(({ ladder, segmentDuration, bufferSegments }) => {
    const bufferCapacity = (bufferSegments + 1) * segmentDuration;
    const future = fc.option(fc.array(options(ladder.length), { maxLength: 7 }), { nil: undefined });
    const moment = fc.tuple(options(ladder.length), future).chain(([options, future]) =>
      fc.record({
        segmentDuration: fc.constant(segmentDuration),
        bufferCapacity: fc.constant(bufferCapacity),
        segmentIndex: fc.constant(0),
        ladder: fc.constant(ladder),
        options: fc.constant(options),
        upcoming: fc.constant(future && [options, ...future]),
        bufferLevel: fc.double({ min: 0, max: 2 * bufferCapacity, noNaN: true }),
        known: throughput.map(knownThroughput),
        lastChoice: fc.constantFrom(undefined, ...options),
      }),
    );
    const state = moment.map(({ known, ...rest }): DecisionState => ({ ...rest, ...known }));
    return fc.array(state, { minLength: 1, maxLength: 8 });
  });
