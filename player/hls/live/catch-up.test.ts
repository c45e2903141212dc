import { expect, test } from 'vitest';
import { CatchUp, type Behind } from './catch-up.js';

const behind = (seconds: number): Behind => ({ latency: 1 + seconds, target: 1 });
const element = (of: object = {}) => ({ paused: false, seeking: false, playbackRate: 1, ...of });

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
  ['somewhere that is not known', {}, { latency: null, target: null }],
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
