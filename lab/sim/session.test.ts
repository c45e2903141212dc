import { describe, expect, it } from 'vitest';
import type { DecisionState, DownloadProgress } from '../../src/abr-star/index.js';
import { metricsOf } from './metrics.js';
import { strategyOf, type StrategyName } from '../strategies/strategies.js';
import { FlatTransport } from './link/flat-transport.js';
import { Link } from './link/link.js';
import { makeTrace } from './link/trace.js';
import { playSession } from './session.js';
import { optionOf, scriptedAbr, SMALL_CONTENT, smallSession } from './testing.js';

const LOW = [0, 0] as const;
const WHOLE = [1, 2] as const;
const HALF = [1, 1] as const;
const rulesOf = () => smallSession({ choices: six(WHOLE) }, [1]).rule;
const six = <T>(value: T) => Array.from({ length: 6 }, () => value);

describe('playSession', () => {
  it('plays without a stall what the link sustains', () => {
    const record = playSession(smallSession({ choices: six(WHOLE) }, [1]));
    expect(record).toMatchObject({ startup: 0.8, stalled: 0, stalls: 0 });
    expect(record.segments.map(({ score }) => score)).toEqual(six(1));
  });

  it('stalls for the time that the link lacks, start-up apart', () => {
    // 100 kB at 0.5 Mbit/s take 1.6 s; five segments come 0.6 s late each.
    const record = playSession(smallSession({ choices: six(WHOLE) }, [0.5]));
    expect(record.startup).toBeCloseTo(1.6);
    expect(record.stalled).toBeCloseTo(3);
    expect(record.stalls).toBe(5);
    expect(metricsOf(record).bufRatio).toBeCloseTo(0.5);
  });

  it('begins with the first piece, once the rest keeps up, and plays on while it comes', () => {
    const setup = smallSession({ choices: six(WHOLE) }, [1]);
    const play = (inPieces: boolean) => playSession({ ...setup, rule: { ...setup.rule, inPieces } });
    const [whole, pieces] = [play(false), play(true)];
    expect(whole.startup).toBeCloseTo(0.8);
    // 20 kB of key frame and nine of twenty frames of 4 kB; the other half has .5 s, a fifth of it to spare.
    expect(pieces.startup).toBeGreaterThan(0.16 + 0.29);
    expect(pieces.startup).toBeLessThan(0.55);
    expect(pieces.stalled).toBe(0);
    expect(pieces.segments.map(({ score }) => score)).toEqual(six(1));
  });

  it('waits for more where the rest would not keep up', () => {
    // 100 kB at .5 Mbit/s take 1.6 s, twice the time that they play.
    const setup = smallSession({ choices: six(WHOLE) }, [0.5]);
    const { startup } = playSession({ ...setup, rule: { ...setup.rule, inPieces: true } });
    expect(startup).toBeGreaterThan(1.6 - 0.5);
    expect(startup).toBeLessThan(1.6);
  });

  it('plays a piece that is due as far as it has come', () => {
    // Where it began the link was quick, and then hardly anything comes.
    const setup = smallSession({ choices: six(WHOLE) }, [1, 0.05, 0.05, 0.05], {});
    const { segments, startup } = playSession({ ...setup, rule: { ...setup.rule, inPieces: true } });
    expect(startup).toBeLessThan(0.6);
    expect(segments.some(({ missing }) => missing > 0)).toBe(true);
  });

  it('plays the same session again', () => {
    const play = () =>
      playSession({ ...smallSession({ choices: six(WHOLE) }, [0.9, 0.3]), rule: { ...rulesOf(), inPieces: true } });
    expect(play()).toEqual(play());
  });

  it('takes the time of a player in a browser, before the first request and before each one that was not made ahead', () => {
    const player = { start: 0.5, between: 0.4, beginsUnsized: false };
    const record = playSession(smallSession({ choices: six(WHOLE) }, [1], { player }));
    expect(record.startup).toBeCloseTo(0.5 + 0.8);
    // 0.8 s and 0.4 s for a second of video.
    expect(record.stalled).toBeCloseTo(5 * 0.2);
  });

  it.each([
    [1e6, 1],
    [100e3, 0],
    [undefined, 0],
  ])(
    'begins by bitrates where sizes are not known yet: with a first rate of %s in representation %i',
    (firstRate, first) => {
      const player = { start: 0, between: 0, beginsUnsized: true };
      const setup = smallSession({ choices: six(WHOLE) }, [1], { player });
      const abr = {
        ...setup.rule.abr,
        firstRate,
        choose: ({ options }: DecisionState) => ({ option: options.at(-1)!, delay: 0 }),
      };
      const { segments } = playSession({ ...setup, rule: { ...setup.rule, abr } });
      expect(segments.map(({ representation }) => representation)).toEqual([first, 1, 1, 1, 1, 1]);
    },
  );

  it.each([
    // 100 kB at 0.8 Mbit/s take a segment's duration: whatever the way costs is a stall.
    ['clipstream', 5 * 0.15],
    ['voxel', 0],
    ['hollywood', 5 * (0.15 - 0.1)],
  ] as const)('asks ahead: with %s and 150 ms the link rests for %f s', (name, rest) => {
    const link = new Link(makeTrace('link', 1, [0.8e6]));
    const setup = smallSession({ choices: six(WHOLE) }, [1], { transport: new FlatTransport(link, 0.15) });
    const { stalled } = playSession({ ...setup, rule: { ...setup.rule, strategy: strategyOf(name) } });
    // Downloads are looked at every 50 ms.
    expect(Math.abs(stalled - rest)).toBeLessThanOrEqual(name === 'hollywood' ? 5 * 0.05 : 1e-9);
  });

  it('never holds more than its buffer, the segment in flight included', () => {
    const levels: number[] = [];
    const abr = scriptedAbr({ choices: six(LOW) });
    const choose = (state: DecisionState) => {
      levels.push(state.bufferLevel);
      return abr.choose(state);
    };
    const setup = smallSession({ choices: [] }, [100], { bufferSegments: 1 });
    playSession({ ...setup, rule: { ...setup.rule, abr: { ...abr, choose }, deliveryOf: () => 'streams' } });
    // Capacity 2 s, a segment of 1 s: after each append 2 s at most.
    expect(Math.max(...levels)).toBeLessThanOrEqual(2);
    expect(levels.at(-1)).toBeCloseTo(2, 1);
  });

  it('waits as long as the rule says', () => {
    const record = playSession(smallSession({ choices: six(LOW), delays: [0, 3, 0, 0, 0, 0] }, [1]));
    expect(record.stalled).toBeCloseTo(2.08);
  });

  it('keeps what has arrived, once every reliable byte is here', () => {
    const review = ({ levelReceived }: DownloadProgress) =>
      levelReceived === 1 ? ({ action: 'keep' } as const) : ({ action: 'continue' } as const);
    const { segments } = playSession(smallSession({ choices: [WHOLE, ...six(LOW)], review }, [1]));
    expect(segments[0]).toMatchObject({ kept: true, level: 1 });
    expect(segments[0]!.score).toBeCloseTo(0.9);
  });

  it('does not keep a segment without its reliable bytes', () => {
    const { segments } = playSession(smallSession({ choices: six(LOW), review: () => ({ action: 'keep' }) }, [0.1]));
    expect(segments.every(({ kept, score }) => !kept && score === 0.8)).toBe(true);
  });

  it('restarts lower at the price of what was loaded', () => {
    const review = ({ option, elapsed, state }: DownloadProgress) =>
      option.representation === 1 && elapsed > 0.49
        ? ({ action: 'restart', option: optionOf(state.options, LOW) } as const)
        : ({ action: 'continue' } as const);
    const record = playSession(smallSession({ choices: [WHOLE, ...six(LOW)], review }, [1]));
    expect(record.segments[0]).toMatchObject({ representation: 0, restarts: 1, bytes: 10e3 });
    expect(record.startup).toBeCloseTo(0.5 + 0.08);
  });

  it('tells reviews how the buffer drains and the bytes come', () => {
    const seen: { bufferLevel: number; bytesReceived: number; phase: string }[] = [];
    const review = ({ state, bytesReceived, phase }: DownloadProgress) => {
      if (state.segmentIndex === 1) seen.push({ bufferLevel: state.bufferLevel, bytesReceived, phase });
      return { action: 'continue' } as const;
    };
    playSession(smallSession({ choices: [LOW, WHOLE, ...six(LOW)], review }, [1]));
    expect(seen[0]!.bufferLevel).toBeCloseTo(0.95);
    expect(seen.map(({ phase }) => phase).slice(0, 4)).toEqual(['reliable', 'reliable', 'reliable', 'unreliable']);
    expect(seen.map(({ bytesReceived }) => Math.round(bytesReceived)).slice(0, 3)).toEqual([6250, 12_500, 18_750]);
  });

  it('shows rules the segments ahead, fewer at the end', () => {
    const ahead: number[] = [];
    const abr = scriptedAbr({ choices: six(LOW) });
    const choose = (state: DecisionState) => {
      ahead.push(state.upcoming!.length);
      return abr.choose(state);
    };
    const setup = smallSession({ choices: [] }, [1]);
    playSession({ ...setup, rule: { ...setup.rule, abr: { ...abr, choose }, deliveryOf: () => 'streams' } });
    expect(ahead).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it('fetches in pauses what was skipped of segments not yet played', () => {
    const scores = (strategy: StrategyName) => {
      const setup = smallSession({ choices: six(HALF) }, [10]);
      const played = playSession({ ...setup, rule: { ...setup.rule, strategy: strategyOf(strategy) } });
      return played.segments.map(({ score }) => score);
    };
    for (const score of scores('clipstream')) expect(score).toBeCloseTo(0.9);
    const better = scores('voxel');
    expect(Math.max(...better)).toBeCloseTo(1);
    // The first starts to play at once; after the last there is time until it is played.
    expect(better[0]).toBeCloseTo(0.9);
    expect(better.at(-1)).toBeCloseTo(1);
  });

  it('gives the same record for the same setup', () => {
    const play = () => playSession(smallSession({ choices: six(WHOLE) }, [0.3, 2, 0]));
    expect(play()).toEqual(play());
    expect(play().segments).toHaveLength(SMALL_CONTENT.segments.length);
  });
});
