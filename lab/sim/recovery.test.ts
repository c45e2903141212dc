import { describe, expect, it } from 'vitest';
import { Link } from './link/link.js';
import { QuicTransport } from './link/quic-transport.js';
import type { Delivery } from './link/transport.js';
import { makeTrace } from './link/trace.js';
import { seededRandom } from './random.js';
import { strategyOf, type StrategyName } from '../strategies/strategies.js';
import { playSession } from './session.js';
import { ladderContent, scriptedAbr } from './testing.js';

const CONTENT = ladderContent([{ bitrate: 1e6, averageScore: 0.9 }], 10);
const WHOLE = CONTENT.segments[0]![0]!.steps.length - 1;

/** Ten whole segments of 4 s over a link of 5 Mbit/s that loses packets at random, one-segment buffer. */
function play(strategy: StrategyName, loss: number, delivery: Delivery = 'datagrams', roundTrip = 0.1) {
  const link = new Link(makeTrace('constant', 1, [5e6]));
  return playSession({
    content: CONTENT,
    rule: {
      abr: scriptedAbr({ choices: CONTENT.segments.map(() => [0, WHOLE]) }),
      deliveryOf: () => delivery,
      strategy: strategyOf(strategy),
    },
    transport: new QuicTransport(link, { roundTrip, queuePackets: 2000, loss, control: 'cubic' }, seededRandom(2)),
    bufferSegments: 1,
    random: seededRandom(3),
  });
}

describe('recovery in flight', () => {
  it('has everything that is lost in time brought again', () => {
    const { segments, stalls } = play('voxel', 0.003);
    // The first has no buffer to tell a time by; it is recovered all the same.
    expect(segments.map(({ missing }) => missing)).toEqual(segments.map(() => 0));
    expect(stalls).toBe(0);
    expect(play('clipstream', 0.003).segments.some(({ missing }) => missing > 0)).toBe(true);
  });

  it('costs time: a round trip for what is lost last, and the bytes', () => {
    const startup = (loss: number) => play('voxel', loss).startup;
    expect(startup(0.003)).toBeGreaterThan(startup(0));
  });

  it('is what streams do by themselves: they wait for a repeat', () => {
    const startup = (delivery: Delivery) => play('clipstream', 0.003, delivery).startup;
    expect(startup('streams')).toBeGreaterThan(startup('datagrams'));
  });

  it('changes nothing where nothing is lost', () => {
    expect(play('voxel', 0)).toEqual(play('clipstream', 0));
  });
});
