import { describe, expect, it } from 'vitest';
import type { Observation } from './job.js';
import type { Trial } from './plan.js';
import { systemOf } from './system.js';
import { isOfMachine, problemsOf } from './validity.js';

interface Seen {
  readonly system?: string;
  readonly observation?: object;
  readonly playback?: object;
  readonly link?: object;
}

function problems({ system = 'voxel', observation = {}, playback = {}, link = {} }: Seen): string[] {
  const seen = {
    outcome: 'ended',
    segments: [{ transport: 'http' }, { transport: 'datagrams' }],
    protocols: { h3: 4 },
    timerDelay: { p99: 2, max: 400 },
    playback: { errors: [], stalls: 0, totalVideoFrames: 100, droppedVideoFrames: 3, ...playback },
    ...observation,
  };
  return problemsOf({
    trial: { system: systemOf(system) } as Trial,
    observation: seen as unknown as Observation,
    link: { valid: true, lateMs: 1, paths: [], ...link },
  });
}

describe('problemsOf', () => {
  it('finds none in a session as it should be', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ system: 'bola' })).toEqual([]);
  });

  it('counts no session whose link, machine or browser failed', () => {
    expect(problems({ link: { valid: false, lateMs: 22.2 } })).toEqual(['the link emulator was 22.2 ms late']);
    expect(problems({ observation: { timerDelay: { p99: 80, max: 90 } } })).toEqual(['timers were 80 ms late']);
    expect(problems({ observation: { replayLateMs: 700 } })).toEqual(['the replay was 700 ms late']);
    expect(problems({ playback: { droppedVideoFrames: 20 } })).toEqual(['20 % of the pictures came late']);
    expect(problems({ observation: { outcome: 'failed' }, playback: { errors: [{ message: 'decode' }] } })).toEqual([
      'playback failed: decode',
    ]);
  });

  it('counts a session that stalled for ever, and pictures that came late around stalls', () => {
    expect(problems({ observation: { outcome: 'hopeless' } })).toEqual([]);
    expect(problems({ playback: { stalls: 2, droppedVideoFrames: 20 } })).toEqual([]);
  });

  it('counts no session that travelled otherwise than its system says', () => {
    const overTcp = { observation: { protocols: { h3: 3, 'http/1.1': 1 } } };
    expect(problems({ system: 'bola', ...overTcp })).toEqual(["media requests over 'http/1.1' instead of h3"]);
    // Without an answer there is no protocol.
    expect(problems({ system: 'bola', observation: { protocols: { h3: 9, '': 3 } } })).toEqual([]);
    expect(problems(overTcp)).toHaveLength(1);
    expect(problems({ system: 'dashjs-bola@http1', observation: { protocols: { 'http/1.1': 4 } } })).toEqual([]);
    expect(problems({ system: 'dashjs-bola@http1', observation: { protocols: { 'http/1.1': 2, '': 8 } } })).toEqual([]);
    expect(problems({ system: 'dashjs-bola@http1', observation: { protocols: { '': 8 } } })).toHaveLength(1);
    expect(problems({ observation: { segments: [{ transport: 'http' }] } })).toEqual(['nothing came over datagrams']);
  });

  it('tells the machine from what is played on it', () => {
    const slow = [
      ...problems({ link: { valid: false, lateMs: 22.2 } }),
      ...problems({ observation: { timerDelay: { p99: 80, max: 90 } } }),
      ...problems({ observation: { replayLateMs: 700 } }),
      ...problems({ playback: { droppedVideoFrames: 20 } }),
    ];
    expect(slow.map(isOfMachine)).toEqual([true, true, true, true]);
    const wrong = [
      ...problems({ observation: { outcome: 'failed' } }),
      ...problems({ observation: { segments: [{ transport: 'http' }] } }),
      ...problems({ system: 'bola', observation: { protocols: { 'http/1.1': 4 } } }),
    ];
    expect(wrong.map(isOfMachine)).toEqual([false, false, false]);
  });
});
