import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Option } from '../../src/abr-star/index.js';
import { makeContent, type Content } from './content/content.js';
import { FlatTransport } from './link/flat-transport.js';
import { strategyOf } from '../strategies/strategies.js';
import { Link } from './link/link.js';
import { metricsOf } from './metrics.js';
import { optimalOptions } from './optimum.js';
import { playSession } from './session.js';
import { seededRandom } from './random.js';
import { layOut } from './content/segment-layout.js';
import { scriptedAbr } from './testing.js';
import { makeTrace } from './link/trace.js';

const LATENCY = 0.05;

/** Four segments of 2 s at 0.2, 0.6 and 2 Mbit/s times a size. */
function content(sizes: readonly number[]): Content {
  const ladder = [0.2, 0.6, 2].map((mbps, level) => ({ bitrate: mbps * 1e6, averageScore: [0.7, 0.9, 1][level]! }));
  return makeContent({
    name: 'four',
    segmentDuration: 2,
    ladder,
    segments: sizes.map((size) =>
      ladder.map(({ bitrate, averageScore }) =>
        layOut({
          reliableBytes: (bitrate / 4) * size,
          steps: [{ score: averageScore, frames: 0, bytes: 0 }],
        }),
      ),
    ),
  });
}

function qoeOf(stream: Content, rates: readonly number[], options: readonly Option[]): number {
  const record = playSession({
    content: stream,
    rule: {
      abr: scriptedAbr({ choices: options.map(({ representation, level }) => [representation, level]) }),
      deliveryOf: () => 'streams',
      strategy: strategyOf('clipstream'),
    },
    transport: new FlatTransport(new Link(makeTrace('x', 1, rates)), LATENCY),
    bufferSegments: 1,
    random: seededRandom(1),
  });
  return metricsOf(record).qoe;
}

/** All 3⁴ ways that start within a segment's duration or with the cheapest. */
function everyWay(stream: Content, rates: readonly number[]): Option[][] {
  const link = new Link(makeTrace('x', 1, rates));
  const ways = stream.options.reduce<Option[][]>(
    (heads, options) => heads.flatMap((head) => options.map((o) => [...head, o])),
    [[]],
  );
  const start = (option: Option) => link.timeToCarry(LATENCY, option.bytes);
  const longest = Math.max(stream.segmentDuration, start(stream.options[0]![0]!));
  return ways.filter(([first]) => start(first!) <= longest);
}

/** Milliseconds: 40 searches through every way take seconds on a busy machine. */
const SEARCH_TIMEOUT = 60_000;

describe('optimalOptions', () => {
  it('finds what trying every way finds', { timeout: SEARCH_TIMEOUT }, () => {
    const sizes = fc.array(fc.constantFrom(0.5, 1, 2), { minLength: 4, maxLength: 4 });
    const links = fc.array(fc.constantFrom(1e5, 5e5, 1e6, 4e6), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(sizes, links, (segmentSizes, rates) => {
        const stream = content(segmentSizes);
        const best = Math.max(...everyWay(stream, rates).map((options) => qoeOf(stream, rates, options)));
        const found = optimalOptions({
          ...{ content: stream, latency: LATENCY, bufferSegments: 1, link: new Link(makeTrace('x', 1, rates)) },
          grid: { time: 0.01, buffer: 0.01, score: 0.01, option: 0.001 },
        });
        // The measure is linearised around stalls, which costs a little where there are many.
        expect(qoeOf(stream, rates, found)).toBeGreaterThan(best - 0.01);
      }),
      { numRuns: 40 },
    );
  });

  it('takes the top level where the link allows it', () => {
    const stream = content([1, 1, 1, 1]);
    const options = optimalOptions({
      content: stream,
      link: new Link(makeTrace('x', 1, [1e8])),
      latency: LATENCY,
      bufferSegments: 1,
    });
    expect(options.map(({ representation }) => representation)).toEqual([2, 2, 2, 2]);
  });
});
