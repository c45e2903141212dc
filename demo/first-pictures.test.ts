import { describe, expect, it } from 'vitest';
import { isOfPlace } from '../player/viewing/place.js';
import { FirstPictureMeter, frameSecondsOf } from './first-pictures.js';

/** Has started after 300 ms. */
function started(): FirstPictureMeter {
  const meter = new FirstPictureMeter(0);
  meter.picture(300, 0);
  return meter;
}

describe('FirstPictureMeter', () => {
  it('starts with the first picture, from the request or the play event on', () => {
    expect(started().times).toEqual({ startMs: 300, seekMs: undefined, resumeMs: undefined });
    const meter = new FirstPictureMeter();
    meter.play(100);
    meter.picture(350, 0);
    meter.picture(390, 0.04);
    expect(meter.times.startMs).toBe(250);
  });

  it('ends a jump with a picture of its place, the last of several jumps alone', () => {
    const meter = started();
    meter.seek(1000, 20);
    meter.seek(1100, 40);
    meter.picture(1200, 3);
    meter.picture(1300, 20);
    expect(meter.times.seekMs).toBeUndefined();
    meter.picture(1500, 39.97);
    expect(meter.times.seekMs).toBe(400);
  });

  it('resumes with the next picture after a stall; neither start, jump nor pause is one', () => {
    const meter = new FirstPictureMeter(0);
    meter.wait(10);
    meter.picture(300, 0);
    meter.wait(2000);
    meter.stop();
    meter.picture(2500, 1);
    meter.seek(3000, 20);
    meter.wait(3010);
    meter.picture(3400, 20);
    expect(meter.times.resumeMs).toBeUndefined();
    meter.wait(5000);
    meter.wait(5500);
    meter.picture(7000, 22);
    expect(meter.times.resumeMs).toBe(2000);
  });
});

it('takes the picture that stands at a place for one of it, and a later one of the same place', () => {
  const times = [7.9, 8, 8.04, 8.4, 8.6];
  expect(times.map((time) => isOfPlace(time, 8.03, 0.04))).toEqual([false, true, true, true, false]);
});

it('knows how long a picture stands', () => {
  expect(frameSecondsOf([0, 0.04, 0.12, 30, 30.04])).toBeCloseTo(0.04);
  expect(frameSecondsOf([])).toBe(0.1);
});
