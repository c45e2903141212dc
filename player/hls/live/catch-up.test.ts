import { expect, test } from 'vitest';
import { CatchUp, type Behind } from './catch-up.js';

const behind = (seconds: number): Behind => ({ latency: 1 + seconds, target: 1, goal: null });
const element = (of: object = {}) => ({
  ...{ currentTime: 100, paused: false, readyState: 4, seeking: false, playbackRate: 1 },
  ...of,
});

test('who is a tenth of a second behind the target catches up, until almost nothing of that is left', () => {
  const [catchUp, video] = [new CatchUp(), element()];
  const rates = [0.05, 0.2, 0.06, 0.01, 0.06].map((seconds) => {
    catchUp.look(video, behind(seconds));
    return video.playbackRate;
  });
  expect(rates).toEqual([1, 1.04, 1.04, 1, 1]);
});

test.each<[string, object, Behind]>([
  ['paused', { paused: true }, behind(1)],
  ['seeking', { seeking: true }, behind(1)],
  ['far behind, as a viewer who went back', {}, behind(10)],
  ['ahead', {}, behind(-1)],
  ['somewhere that is not known', {}, { latency: null, target: null, goal: null }],
])('who is %s does not', (_, of, where) => {
  const [catchUp, video] = [new CatchUp(), element(of)];
  catchUp.look(video, where);
  expect(video.playbackRate).toBe(1);
});

test('a rate of the page stays, before and while playback catches up', () => {
  const [catchUp, video] = [new CatchUp(), element({ playbackRate: 2 })];
  catchUp.look(video, behind(1));
  expect(video.playbackRate).toBe(2);
  video.playbackRate = 1;
  catchUp.look(video, behind(1));
  expect(video.playbackRate).toBe(1.04);
  video.playbackRate = 1.5;
  catchUp.look(video, behind(1));
  catchUp.end(video);
  expect(video.playbackRate).toBe(1.5);
});

test('at its end the rate is what it was', () => {
  const [catchUp, video] = [new CatchUp(), element()];
  catchUp.look(video, behind(1));
  catchUp.end(video);
  expect(video.playbackRate).toBe(1);
});

const at = (goal: number | null): Behind => ({ latency: null, target: null, goal });

test('playback that has stood for long goes on where it should be, once there is something', () => {
  const [catchUp, video] = [new CatchUp(), element()];
  catchUp.look(video, at(100));
  video.readyState = 2;
  const times = [99, 100, null, 110].map((goal) => {
    catchUp.look(video, at(goal));
    return video.currentTime;
  });
  expect(times).toEqual([100, 100, 100, 110]);
});

test('it does, too, where it has just begun to play on where it stood', () => {
  const [catchUp, video] = [new CatchUp(), element()];
  catchUp.look(video, at(100));
  video.readyState = 2;
  catchUp.look(video, at(100));
  Object.assign(video, { readyState: 4, currentTime: 100.1 });
  catchUp.look(video, at(110));
  expect(video.currentTime).toBe(110);
});

test('it does where hls.js has gone over a gap before which playback stood', () => {
  const [catchUp, video] = [new CatchUp(), element()];
  catchUp.look(video, at(100));
  video.readyState = 2;
  catchUp.look(video, at(100));
  Object.assign(video, { readyState: 1, seeking: true, currentTime: 100.1 });
  catchUp.look(video, at(100));
  Object.assign(video, { readyState: 4, seeking: false });
  catchUp.look(video, at(110));
  expect(video.currentTime).toBe(110);
});

test('a stall that can be caught up with is', () => {
  const [catchUp, video] = [new CatchUp(), element()];
  for (const goal of [100, 102.9]) catchUp.look(video, at(goal));
  expect(video.currentTime).toBe(100);
});

test.each<[string, object]>([
  ['paused', { paused: true }],
  ['went back', { currentTime: 80 }],
  ['is going back', { currentTime: 80, seeking: true, readyState: 1 }],
  ['plays slowly', { playbackRate: 0.5 }],
])('who %s stays behind', (_, of) => {
  const [catchUp, video] = [new CatchUp(), element()];
  catchUp.look(video, at(100));
  Object.assign(video, of);
  catchUp.look(video, at(101));
  Object.assign(video, { paused: false, seeking: false, readyState: 4, playbackRate: 1 });
  const { currentTime } = video;
  for (const goal of [110, 111]) catchUp.look(video, at(goal));
  expect(video.currentTime).toBe(currentTime);
});

test('so does who has never been where playback should be', () => {
  const [catchUp, video] = [new CatchUp(), element()];
  for (const goal of [110, 111]) catchUp.look(video, at(goal));
  expect(video.currentTime).toBe(100);
});
