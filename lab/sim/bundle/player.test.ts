import { describe, expect, it } from 'vitest';
import { SCHEDULES, type ScheduleName } from '../../strategies/schedules.js';
import { FlatTransport } from '../link/flat-transport.js';
import { Link } from '../link/link.js';
import { makeTrace } from '../link/trace.js';
import { PathSession } from './path-session.js';
import { playBundle, type Piece, type Video } from './player.js';

/** 8 Mbit/s: a megabyte per second. */
const RATES = [8e6];

function path(rates: readonly number[] = RATES, roundTrip = 0.05, cost = 0): PathSession<Piece> {
  return new PathSession(new FlatTransport(new Link(makeTrace('link', 1, rates)), roundTrip), cost);
}

const fetched = (count: number, bytes = 1e6): Video => ({
  ...{ sizes: Array.from({ length: count }, () => bytes), reliable: 0.2, segmentDuration: 0, buffer: 0 },
});
const played: Video = { ...fetched(20), segmentDuration: 2, buffer: 2 };
const play = (name: ScheduleName, paths: readonly PathSession<Piece>[], video = fetched(10)) =>
  playBundle(paths, SCHEDULES[name], video);

describe('playBundle', () => {
  it('fetches one behind the other over one path, in a round trip and the time of the bytes', () => {
    const { seconds, bytes, repeated } = play('single', [path()]);
    expect(seconds).toBeCloseTo(0.05 + 10, 1);
    expect([Math.round(bytes), repeated]).toEqual([10e6, 0]);
  });

  it('has the rates of two paths together', () => {
    const { seconds, bytesOf } = play('voxel', [path(), path([4e6], 0.1)]);
    expect(seconds).toBeLessThan(10 / 1.5 / 0.95);
    expect(bytesOf[0]! / bytesOf[1]!).toBeCloseTo(2, 0);
  });

  it('waits for the start and where the link brings less than is played', () => {
    const { waited, segmentSeconds } = play('single', [path()], played);
    expect(waited).toBeCloseTo(1.05, 1);
    expect(segmentSeconds).toHaveLength(20);
    expect(play('single', [path([3e6])], played).waited).toBeGreaterThan(10);
  });

  it('does not stall for a path that is silent, with the other one there', () => {
    const dead = [8e6, 8e6, ...Array.from({ length: 60 }, () => 0)];
    expect(play('voxel', [path(), path(dead)], played).waited).toBeLessThan(1.5);
    expect(play('round-robin', [path(), path(dead)], played).waited).toBeGreaterThan(10);
  });

  it('leaves a metered path alone while the other one is enough', () => {
    const { bytesOf } = play('voxel', [path(), path(RATES, 0.05, 1)], played);
    expect(bytesOf[1]! / bytesOf[0]!).toBeLessThan(0.2);
  });
});
