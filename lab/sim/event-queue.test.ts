import { expect, it } from 'vitest';
import { EventQueue } from './event-queue.js';

/** Events by the name of their time, and one more at the second. */
function queueOf(times: readonly number[]): EventQueue<string> {
  const queue = new EventQueue<string>();
  for (const time of [...times, 2]) queue.at(time, queue.events.includes('2') ? 'second' : String(time));
  return queue;
}

it('gives events in the order of time, those of one time as they were put in, and later ones not yet', () => {
  const queue = queueOf([3, 1, 2]);
  expect([...queue.due(2)]).toEqual([
    [1, '1'],
    [2, '2'],
    [2, 'second'],
  ]);
  expect([queue.nextAt, queue.events]).toEqual([3, ['3']]);
  expect([[...queue.due(3)], queue.nextAt]).toEqual([[[3, '3']], Infinity]);
});

it('gives what an event brings about in the same run', () => {
  const [queue, seen] = [queueOf([4]), [] as string[]];
  for (const [time, event] of queue.due(5)) {
    seen.push(event);
    if (event === '2') queue.at(time + 1, 'brought about');
  }
  expect(seen).toEqual(['2', 'brought about', '4']);
});

it('forgets what is cancelled, and a queue for other events goes on by itself', () => {
  const queue = queueOf([1]);
  const other = queue.map((event) => `${event}!`);
  queue.cancel((event) => event === '1');
  expect([queue.events, other.events]).toEqual([['2'], ['1!', '2!']]);
});
