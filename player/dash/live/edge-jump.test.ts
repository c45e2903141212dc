import { describe, expect, test, vi } from 'vitest';
import {
  EdgeJump,
  type EdgeJumpOptions,
  type JumpingElement,
  type LivePosition,
  type SegmentRequest,
} from './edge-jump.js';

const TARGET = 1;
const NEAR = { latency: 1.1, target: TARGET, ahead: 0.8 };

/** That of an outage of seven seconds: nothing is left to play, and nothing but the reliable bytes came. */
const LATE = { latency: 8, target: TARGET, ahead: 0.1 };
const CUT = { bytesUnreliable: 9000, bytesUnsent: 9000 };
const WHOLE = { bytesUnreliable: 9000, bytesUnsent: 0 };

/** Playback is at 13 s. */
const REQUEST = { url: 'https://a.example/v0/6.m4s', headers: { authorization: 'Bearer x' } };
const SEGMENT = { startTime: 12, duration: 2, request: REQUEST };

function playback(changes: Partial<EdgeJumpOptions> = {}) {
  const element: { -readonly [Key in keyof JumpingElement]: JumpingElement[Key] } = {
    ...{ currentTime: 13, paused: false, seeking: false },
  };
  const asked: SegmentRequest[] = [];
  let position: LivePosition = NEAR;
  const jump = new EdgeJump({
    element: () => element,
    position: () => position,
    isWanted: () => true,
    isThere: (request) => Promise.resolve(asked.push(request) > 0),
    ...changes,
  });
  const at = (next: LivePosition): void => {
    position = next;
    jump.look();
  };
  at(NEAR);
  return { jump, element, asked, at };
}

/** Where playback is once the chunk has come, 13: where it was. */
async function placeAfter(chunk: typeof CUT | undefined, position: LivePosition, segment = SEGMENT): Promise<number> {
  const { jump, element, at } = playback();
  at(position);
  await jump.consider(segment, chunk);
  return element.currentTime;
}

test('jumps once an outage has left nothing but key frames, to the start of a segment a second behind the target', async () => {
  // What is played at the target is at 20 s.
  expect(await placeAfter(CUT, LATE)).toBe(18.01);
});

test('jumps over what is whole only where catch-up would take minutes', async () => {
  expect(await placeAfter(WHOLE, { ...LATE, latency: 6.9 })).toBe(13);
  expect(await placeAfter(WHOLE, { ...LATE, latency: 7 })).toBe(18.01);
});

test('jumps over what is whole, too, where it comes over HTTP and fills the buffer', async () => {
  expect(await placeAfter(undefined, { ...LATE, ahead: 4 })).toBe(18.01);
  expect(await placeAfter(undefined, { ...LATE, latency: 6.9, ahead: 4 })).toBe(13);
});

test.each([
  ['less than half of the chunk was left out', { bytesUnreliable: 9000, bytesUnsent: 4499 }, { ...LATE, latency: 4 }],
  ['there was nothing to leave out', { bytesUnreliable: 0, bytesUnsent: 0 }, { ...LATE, latency: 4 }],
  ['catch-up will do', CUT, { ...LATE, latency: 2.4 }],
  ['there is something to play', CUT, { ...LATE, latency: 4, ahead: 0.6 }],
])('plays on where %s', async (_, chunk, position) => {
  expect(await placeAfter(chunk, position)).toBe(13);
});

test.each([
  [19.3, 18.01],
  [13, 12.01],
  [14.9, 12.01],
  [12, 10.01],
])('where %f s is played at the target, the place is %f s', async (atTarget, place) => {
  const { jump, element, at } = playback();
  at(LATE);
  element.currentTime = atTarget - (LATE.latency - TARGET);
  await jump.consider(SEGMENT, CUT);
  expect(element.currentTime).toBe(place);
});

describe('viewers stay where they went', () => {
  test('until they are near the edge again', async () => {
    const { jump, element, at } = playback();
    element.currentTime = 12.5;
    jump.seeking();
    at({ ...LATE, latency: 30 });
    await jump.consider(SEGMENT, CUT);
    expect(element.currentTime).toBe(12.5);
    at({ ...NEAR, latency: 2 });
    at(LATE);
    await jump.consider(SEGMENT, CUT);
    expect(element.currentTime).toBe(18.01);
  });

  test('also where a look comes between the seek and its event', async () => {
    const { jump, element, at } = playback();
    Object.assign(element, { currentTime: 12.5, seeking: true });
    at(LATE);
    jump.seeking();
    element.seeking = false;
    await jump.consider(SEGMENT, CUT);
    expect(element.currentTime).toBe(12.5);
  });

  test('where they paused, though it is near the target for another second', async () => {
    const { jump, element, at } = playback();
    element.paused = true;
    jump.leave();
    at(NEAR);
    element.paused = false;
    at(LATE);
    await jump.consider(SEGMENT, CUT);
    expect(element.currentTime).toBe(13);
  });

  test('at the very start, where dash.js does not say how far they are behind', async () => {
    const { jump, element, at } = playback();
    element.currentTime = 0;
    jump.seeking();
    at({ ...NEAR, latency: 0 });
    element.currentTime = 0.5;
    at(LATE);
    await jump.consider({ ...SEGMENT, startTime: 0, request: { ...REQUEST, url: 'https://a.example/v0/0.m4s' } }, CUT);
    expect(element.currentTime).toBe(0.5);
  });

  test('from the start on', async () => {
    const { jump, element, at } = playback({ position: () => LATE });
    at(LATE);
    await jump.consider(SEGMENT, CUT);
    expect(element.currentTime).toBe(13);
  });

  test('when they go there while a jump is being prepared', async () => {
    let answer: (isThere: boolean) => void = () => undefined;
    const { jump, element, at } = playback({ isThere: () => new Promise((resolve) => (answer = resolve)) });
    at(LATE);
    const considered = jump.consider(SEGMENT, CUT);
    element.currentTime = 2;
    jump.seeking();
    answer(true);
    await considered;
    expect(element.currentTime).toBe(2);
  });

  test('which is back, not over a gap where playback stands', async () => {
    const { jump, element, at } = playback();
    at(LATE);
    element.currentTime = 13.1;
    jump.seeking();
    await jump.consider(SEGMENT, CUT);
    expect(element.currentTime).toBe(18.01);
  });

  test('which a jump is not', async () => {
    const { jump, element, at } = playback();
    at(LATE);
    await jump.consider(SEGMENT, CUT);
    jump.seeking();
    at(LATE);
    await jump.consider({ ...SEGMENT, startTime: 18, request: { ...REQUEST, url: 'https://a.example/v0/9.m4s' } }, CUT);
    expect(element.currentTime).toBe(24.01);
  });
});

test.each([{ paused: true }, { seeking: true }])('plays on where %o', async (state) => {
  const { jump, element, at } = playback();
  at(LATE);
  Object.assign(element, state);
  await jump.consider(SEGMENT, CUT);
  expect(element.currentTime).toBe(13);
});

test('plays on where the page wants no catching up', async () => {
  const { jump, element, at } = playback({ isWanted: () => false });
  at(LATE);
  await jump.consider(SEGMENT, CUT);
  expect(element.currentTime).toBe(13);
});

test('asks whether the segment is there, once at a time, and plays on where it is not', async () => {
  const { jump, asked, at } = playback();
  at(LATE);
  await Promise.all([jump.consider(SEGMENT, CUT), jump.consider(SEGMENT, CUT)]);
  expect(asked).toEqual([{ ...REQUEST, url: 'https://a.example/v0/9.m4s' }]);
  const late = playback({ isThere: () => Promise.resolve(false) });
  late.at(LATE);
  await late.jump.consider(SEGMENT, CUT);
  expect(late.element.currentTime).toBe(13);
});

test('jumps where no answer comes: a link that recovers has other things to carry', async () => {
  vi.useFakeTimers();
  const { jump, element, at } = playback({ isThere: () => new Promise(() => undefined) });
  at(LATE);
  const considered = jump.consider(SEGMENT, CUT);
  await vi.advanceTimersByTimeAsync(499);
  expect(element.currentTime).toBe(13);
  await vi.advanceTimersByTimeAsync(1);
  await considered;
  vi.useRealTimers();
  expect(element.currentTime).toBe(18.01);
});

test('plays on where no answer comes and nothing else has: the outage has not ended', async () => {
  vi.useFakeTimers();
  const { jump, element, at } = playback({ isThere: () => new Promise(() => undefined) });
  at(LATE);
  const considered = jump.consider(SEGMENT);
  await vi.advanceTimersByTimeAsync(500);
  await considered;
  vi.useRealTimers();
  expect(element.currentTime).toBe(13);
});

test('plays on where segments are numbered otherwise', async () => {
  expect(
    await placeAfter(CUT, LATE, { ...SEGMENT, request: { ...REQUEST, url: 'https://a.example/v0/six.mp4' } }),
  ).toBe(13);
});

test('keeps what an address has after the number', async () => {
  const { jump, asked, at } = playback();
  at(LATE);
  const request = { ...REQUEST, url: 'https://a.example/7/v0/6.m4s?key=1/6.m4s' };
  await jump.consider({ ...SEGMENT, request }, CUT);
  expect(asked).toEqual([{ ...request, url: 'https://a.example/7/v0/9.m4s?key=1/6.m4s' }]);
});
