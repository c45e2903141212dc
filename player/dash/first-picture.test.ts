import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FirstPicture } from './first-picture.js';

const NEAR = { roundTrip: 0.005, rate: 50e6 };

describe('FirstPicture', () => {
  let element: EventTarget & HTMLMediaElement;
  let first: FirstPicture;
  const begun = vi.fn();

  beforeEach(() => {
    vi.useFakeTimers();
    begun.mockReset();
    element = new EventTarget() as typeof element;
    first = new FirstPicture();
    void first.begin().then(begun);
    return () => vi.useRealTimers();
  });

  const hasBegunAfter = async (milliseconds: number): Promise<boolean> => {
    await vi.advanceTimersByTimeAsync(milliseconds);
    return begun.mock.calls.length > 0;
  };

  it('keeps nothing waiting for long where the manifest is not here', async () => {
    expect(await hasBegunAfter(99)).toBe(false);
    expect(await hasBegunAfter(1)).toBe(true);
  });

  it('goes first where the server is near, until it is decoded', async () => {
    await hasBegunAfter(60);
    first.come(NEAR, element);
    expect(await hasBegunAfter(200)).toBe(false);
    element.dispatchEvent(new Event('loadeddata'));
    expect(await hasBegunAfter(0)).toBe(true);
  });

  it('goes first until it is shown, where the browser says so', async () => {
    const shown = vi.fn<(callback: () => void) => void>();
    first.come(NEAR, Object.assign(element, { requestVideoFrameCallback: shown }));
    element.dispatchEvent(new Event('loadeddata'));
    expect(await hasBegunAfter(200)).toBe(false);
    shown.mock.calls[0]![0]();
    expect(await hasBegunAfter(0)).toBe(true);
  });

  it('goes first for a quarter of a second at most', async () => {
    first.come(NEAR, element);
    expect(await hasBegunAfter(249)).toBe(false);
    expect(await hasBegunAfter(1)).toBe(true);
  });

  it.each<[string, () => void]>([
    ['the server is far', () => first.come({ roundTrip: 0.06, rate: 50e6 }, element)],
    ['the manifest came from a cache', () => first.come({ roundTrip: 0, rate: Infinity }, element)],
    ['there is no element', () => first.come(NEAR, undefined)],
    ['the plugin is detached, or a live stream may play', () => first.skip()],
  ])('keeps nothing waiting where %s', async (_, happens) => {
    happens();
    expect(await hasBegunAfter(0)).toBe(true);
    first.come(NEAR, element);
    const again = vi.fn();
    void first.begin().then(again);
    await vi.advanceTimersByTimeAsync(0);
    expect(again).toHaveBeenCalled();
  });
});
