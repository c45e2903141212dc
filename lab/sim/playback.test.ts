import { describe, expect, it } from 'vitest';
import { Playback } from './playback.js';

describe('Playback', () => {
  it('does not count the start as a stall', () => {
    const playback = new Playback();
    playback.advanceTo(3);
    playback.append(4);
    expect(playback).toMatchObject({ startup: 3, stalled: 0, stalls: 0, bufferLevel: 4 });
  });

  it('stalls from when the buffer is empty until the next segment, once', () => {
    const playback = new Playback();
    playback.append(4);
    playback.advanceTo(5);
    playback.advanceTo(6);
    playback.append(4);
    playback.advanceTo(8);
    expect(playback).toMatchObject({ stalled: 2, stalls: 1, bufferLevel: 2 });
    playback.advanceTo(11);
    expect(playback).toMatchObject({ stalled: 3, stalls: 2, longestStall: 2 });
  });

  it('never goes back in time', () => {
    const playback = new Playback();
    playback.append(4);
    playback.advanceTo(2);
    playback.advanceTo(1);
    expect(playback).toMatchObject({ time: 2, bufferLevel: 2 });
  });
});
