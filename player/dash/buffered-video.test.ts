import { expect, test } from 'vitest';
import { BufferedVideo, type DashSegment } from './buffered-video.js';
import type { DashPlayer, DashRepresentation } from './dash-types.js';

const SECONDS = 8;

/** A SourceBuffer and its MediaSource as the standard has them, as far as replacing goes; dash.js' queue before them. */
class FakeSource extends EventTarget {
  readyState = 'ended';
  duration = SECONDS;
  updating = false;
  timestampOffset = 0;
  appendWindowStart = 0;
  appendWindowEnd = SECONDS;
  /** What dash.js makes of it. */
  isComplete = true;
  readonly sourceBuffers = [this];
  #queue = Promise.resolve();

  get buffered() {
    return { length: 1, start: () => 0, end: () => SECONDS };
  }

  endOfStream(): void {
    if (this.updating || this.readyState !== 'open') throw new DOMException('', 'InvalidStateError');
    this.readyState = 'ended';
  }

  readonly append = (): Promise<void> => {
    this.#queue = this.#queue.then(async () => {
      [this.readyState, this.updating] = ['open', true];
      await new Promise((resolve) => setTimeout(resolve, 20));
      this.updating = false;
      this.dispatchEvent(new Event('updateend'));
    });
    return this.#queue;
  };
}

const representation = {
  adaptation: { index: 0, period: { index: 0, start: 0, duration: 10 } },
  mseTimeOffset: 0,
  segmentDuration: 4,
} as DashRepresentation;
const segments: DashSegment[] = [0, 4].map((startTime, index) => ({
  ...{ index, startTime, duration: 4, representation },
}));

function videoIn(source: FakeSource, isLast = true, of: object = {}, loaded = representation): BufferedVideo {
  const processor = {
    getType: () => 'video',
    getRepresentation: () => loaded,
    getMediaSource: () => source,
    isBufferingCompleted: () => source.isComplete,
    getBufferController: () => ({ getBuffer: () => ({ append: source.append, getBuffer: () => source }) }),
  };
  const stream = {
    getStreamProcessors: () => [processor],
    getId: () => 'id',
    getStreamInfo: () => ({ isLast, start: 2, duration: SECONDS }),
  };
  const player = { getActiveStream: () => stream, ...of } as unknown as DashPlayer;
  return new BufferedVideo(player, () => new Uint8Array());
}

test('an ended stream is ended again after several segments were replaced at once', async () => {
  const source = new FakeSource();
  const video = videoIn(source);
  const first = video.replace(segments[0]!, new Uint8Array());
  await expect.poll(() => source.readyState, { interval: 0, timeout: 60_000 }).toBe('open');
  const second = video.replace(segments[1]!, new Uint8Array());
  expect(await Promise.all([first, second])).toEqual([true, true]);
  expect(source.readyState).toBe('ended');
});

test('a stream is ended that dash.js could not end, as a segment was just being replaced', async () => {
  const source = new FakeSource();
  [source.readyState, source.isComplete] = ['open', false];
  const replacing = videoIn(source).replace(segments[0]!, new Uint8Array());
  await expect.poll(() => source.updating, { interval: 0, timeout: 60_000 }).toBe(true);
  source.isComplete = true;
  expect(() => source.endOfStream()).toThrow();
  expect(await replacing).toBe(true);
  expect(source.readyState).toBe('ended');
});

test('a stream stays open where its last part has gone meanwhile', async () => {
  const source = new FakeSource();
  const replacing = videoIn(source).replace(segments[0]!, new Uint8Array());
  source.isComplete = false;
  expect(await replacing).toBe(true);
  expect(source.readyState).toBe('open');
});

test.each([
  ['is ended where playback stands and all of the rest is here', {}, 'ended'],
  ['stays open where its end is not here', { duration: 2 * SECONDS }, 'open'],
])('a stream %s, whatever dash.js says', async (_, change, readyState) => {
  const source = Object.assign(new FakeSource(), { readyState: 'open', isComplete: false }, change);
  await videoIn(source, true, { getVideoElement: () => ({ currentTime: SECONDS - 0.01 }) }).end();
  expect(source.readyState).toBe(readyState);
});

test('a stream stays open before its last period', async () => {
  const source = new FakeSource();
  source.readyState = 'open';
  await videoIn(source, false).replace(segments[0]!, new Uint8Array());
  expect(source.readyState).toBe('open');
});

test('the segment of a seek is that of its time, unless that is in the buffer or in another period', () => {
  const source = new FakeSource();
  const video = videoIn(source);
  expect(video.placeAfterSeek(8.5)).toMatchObject({ index: 2, startTime: 8, duration: 2, representation });
  expect(video.placeAfterSeek(7.9)).toBeUndefined();
  expect(video.placeAfterSeek(10)).toBeUndefined();
  expect(video.placeAfterSeek(-0.1)).toBeUndefined();
  const varying = { ...representation, segmentDuration: NaN };
  expect(videoIn(source, true, {}, varying).placeAfterSeek(8.5)).toBeUndefined();
});

test('the buffer is as long as it is now, not as long as dash.js counted it last', () => {
  const source = new FakeSource();
  const element = { currentTime: 2.5, seeking: false };
  const stale = { getCurrentBufferLevel: () => 7 };
  const video = videoIn(source, true, { getVideoElement: () => element, getDashMetrics: () => stale });
  expect(video.bufferLevel).toBe(5.5);
  element.currentTime = 3;
  expect(video.bufferLevel).toBe(5);
  element.seeking = true;
  expect(video.bufferLevel).toBe(7);
});

test('how far the end of the period is, and whether dash.js has all of it', () => {
  const source = new FakeSource();
  const video = videoIn(source, true, { getVideoElement: () => ({ currentTime: 7 }) });
  expect([video.secondsToEnd, video.isComplete]).toEqual([3, true]);
  source.isComplete = false;
  expect(video.isComplete).toBe(false);
  const { secondsToEnd, isComplete } = videoIn(source, true, { getActiveStream: () => null });
  expect([secondsToEnd, isComplete]).toEqual([NaN, false]);
});
