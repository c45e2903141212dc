import { expect, test } from 'vitest';
import { EdgeJump, placeNear, urlAt } from './edge-jump.js';

const TARGET = 1;

/** That of an outage of seven seconds: nothing is left to play, and nothing but the reliable bytes came. */
const LATE = { latency: 8, target: TARGET, ahead: 0.1 };
const CUT = { bytesUnreliable: 9000, bytesUnsent: 9000 };

function near(): EdgeJump {
  const jump = new EdgeJump();
  jump.look({ latency: 1.1, target: TARGET });
  return jump;
}

test('jumps once an outage has left nothing but key frames', () => {
  const jump = near();
  jump.look(LATE);
  expect(jump.isDue(CUT, LATE)).toBe(true);
});

test('jumps over what is whole only where catch-up would take minutes', () => {
  const whole = { bytesUnreliable: 9000, bytesUnsent: 0 };
  expect([6.9, 7].map((latency) => near().isDue(whole, { ...LATE, latency }))).toEqual([false, true]);
});

test.each([
  ['less than half of the chunk was left out', { bytesUnreliable: 9000, bytesUnsent: 4499 }, { ...LATE, latency: 4 }],
  ['there was nothing to leave out', { bytesUnreliable: 0, bytesUnsent: 0 }, { ...LATE, latency: 4 }],
  ['catch-up will do', CUT, { ...LATE, latency: 2.4 }],
  ['there is something to play', CUT, { ...LATE, ahead: 0.6 }],
])('plays on where %s', (_, chunk, position) => {
  expect(near().isDue(chunk, position)).toBe(false);
});

test('leaves viewers where they went, until they are near the edge again', () => {
  expect(new EdgeJump().isDue(CUT, LATE)).toBe(false);
  const jump = near();
  jump.leave();
  jump.look({ latency: 30, target: TARGET });
  expect(jump.isDue(CUT, { ...LATE, latency: 31 })).toBe(false);
  jump.look({ latency: 2, target: TARGET });
  expect(jump.isDue(CUT, LATE)).toBe(true);
});

test('the place is the start of a segment that is a second behind, before or after the one that is known', () => {
  const segment = { startTime: 12, duration: 2 };
  expect([19.3, 13, 14.9, 12].map((at) => placeNear(at, segment))).toEqual([18.01, 12.01, 12.01, 10.01]);
});

test('the address there has the number of that segment', () => {
  const segment = { startTime: 12, duration: 2, url: 'https://a.example/v0/6.m4s' };
  expect([18.01, 12.01, 10.01].map((place) => urlAt(place, segment))).toEqual([
    'https://a.example/v0/9.m4s',
    'https://a.example/v0/6.m4s',
    'https://a.example/v0/5.m4s',
  ]);
  expect(urlAt(18.01, { ...segment, url: 'https://a.example/v0/six.mp4' })).toBeUndefined();
});
