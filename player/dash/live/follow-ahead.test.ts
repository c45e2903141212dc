import { expect, test, vi } from 'vitest';
import type { DeliveredChunk } from '../../../src/voxel-loader/types.js';
import type { DashRepresentation, FragmentRequest } from '../dash-types.js';
import { keyOf } from '../presentation.js';
import { FollowAhead, type AheadRequest } from './follow-ahead.js';

const representation = (id: string, bandwidth: number): DashRepresentation =>
  ({ id, bandwidth, mseTimeOffset: 0, adaptation: { index: 0, period: { index: 0 } } }) as DashRepresentation;
const [low, high, higher] = [representation('low', 1e6), representation('high', 2e6), representation('higher', 3e6)];

/** A fragment of one second. */
const fragment = (index: number, of = high): FragmentRequest => ({
  ...{ type: 'MediaSegment', mediaType: 'video', range: null },
  ...{ index, startTime: index, duration: 1, representation: of },
  url: `https://media.example/${of.id}/${index}.m4s`,
});

const asked = (request: FragmentRequest, url = request.url): AheadRequest => ({
  url,
  headers: { authorization: 'mine', 'CMCD-Request': 'bl=1' },
  customData: { request },
});

const chunk = (number: number): DeliveredChunk => ({ number }) as DeliveredChunk;

function scene() {
  const state = {
    next: undefined as FragmentRequest | undefined,
    edge: 7.1,
    choice: high as DashRepresentation | undefined,
    isOpen: true,
  };
  const followed: {
    request: AheadRequest;
    onChunk: (chunk: DeliveredChunk) => void;
    abort: () => void;
    fail: (error: Error) => void;
  }[] = [];
  const ahead = new FollowAhead({
    next: () => state.next,
    choice: () => state.choice,
    edge: () => state.edge,
    follow: (request, onChunk) => {
      if (!state.isOpen) return undefined;
      let fail!: (error: Error) => void;
      const result = new Promise<void>((_, reject) => (fail = reject));
      const abort = vi.fn();
      followed.push({ request, onChunk, abort, fail });
      return { result, abort };
    },
  });
  return { ahead, state, followed };
}

/** Segment 6 is under way, and 7 has begun to be made. */
function nearTheEnd() {
  const all = scene();
  all.ahead.adopt(asked(fragment(6)), () => undefined);
  all.state.next = fragment(7);
  return all;
}

test('the next segment is followed as soon as it is being made, once', () => {
  const { ahead, state, followed } = nearTheEnd();
  state.next = undefined;
  ahead.look();
  expect(followed).toHaveLength(0);
  state.next = fragment(7);
  ahead.look();
  ahead.look();
  expect(followed.map(({ request }) => [request.url, request.headers])).toEqual([
    ['https://media.example/high/7.m4s', { authorization: 'mine' }],
  ]);
  expect(ahead.representationOf(7)).toBe(keyOf(high));
  expect(ahead.representationOf(8)).toBeUndefined();
});

test('what has come of it is handed over when the player asks, and what comes later after it', () => {
  const { ahead, followed } = nearTheEnd();
  ahead.look();
  const seen: number[] = [];
  followed[0]!.onChunk(chunk(0));
  followed[0]!.onChunk(chunk(1));
  const following = ahead.adopt(asked(fragment(7), `${fragment(7).url}?CMCD=bl%3D1`), ({ number }) =>
    seen.push(number),
  );
  expect(following).toBeDefined();
  followed[0]!.onChunk(chunk(2));
  expect(seen).toEqual([0, 1, 2]);
  expect(followed[0]!.abort).not.toHaveBeenCalled();
});

test('it says of the session what the one before has said in its address', () => {
  const { ahead, state, followed } = scene();
  const cmcd = encodeURIComponent('bl=(100),sid="1",v=2');
  ahead.adopt(asked(fragment(6), `${fragment(6).url}?CMCD=${cmcd}`), () => undefined);
  state.next = fragment(7);
  ahead.look();
  const url = `${fragment(7).url}?CMCD=${encodeURIComponent('sid="1",v=2')}`;
  expect(followed.map(({ request }) => request.url)).toEqual([url]);
  expect(ahead.adopt(asked(fragment(7), `${fragment(7).url}?CMCD=${cmcd}`), () => undefined)).toBeDefined();
});

test('it is given up where the player asks for another representation, or for another segment', () => {
  for (const request of [fragment(7, low), fragment(9)]) {
    const { ahead, followed } = nearTheEnd();
    ahead.look();
    expect(ahead.adopt(asked(request), () => undefined)).toBeUndefined();
    expect(followed[0]!.abort).toHaveBeenCalledOnce();
  }
});

test('it is followed in the representation that the rule chooses', () => {
  const { ahead, state, followed } = nearTheEnd();
  state.choice = low;
  ahead.look();
  expect(followed[0]!.request.url).toBe(fragment(7, low).url);
  expect(followed[0]!.request.customData.request.representation).toBe(low);
  expect(ahead.representationOf(7)).toBe(keyOf(low));
  expect(ahead.adopt(asked(fragment(7, low)), () => undefined)).toBeDefined();
});

test('in a higher one only near the end of the one before it', () => {
  const { ahead, state, followed } = nearTheEnd();
  state.choice = higher;
  ahead.arrived(6.5);
  expect(followed).toHaveLength(0);
  ahead.arrived(6.8);
  expect(followed[0]!.request.url).toBe(fragment(7, higher).url);
});

test('in another one only where its address can be foretold', () => {
  const { ahead, state, followed } = nearTheEnd();
  state.choice = undefined;
  ahead.look();
  const inFolder = (name: string): void => {
    const at = (index: number): FragmentRequest => ({
      ...fragment(index),
      url: `https://media.example/${name}/${index}`,
    });
    ahead.adopt(asked(at(6)), () => undefined);
    state.next = at(7);
    ahead.look();
  };
  state.choice = low;
  inFolder('0');
  expect(followed).toHaveLength(0);
  inFolder('high/high');
  expect(followed[0]!.request.url).toBe('https://media.example/high/low/7');
});

test('a segment that is there already is followed near the end of the one before it only', () => {
  const { ahead, state, followed } = nearTheEnd();
  state.edge = 20;
  ahead.look();
  ahead.arrived(6.5);
  expect(followed).toHaveLength(0);
  ahead.arrived(6.8);
  expect(followed).toHaveLength(1);
});

test('where the page changes addresses, or no session is open, nothing is', () => {
  const changed = nearTheEnd();
  changed.ahead.adopt(asked(fragment(6), `${fragment(6).url}?token=6`), () => undefined);
  changed.ahead.look();
  expect(changed.followed).toHaveLength(0);
  const closed = nearTheEnd();
  closed.state.isOpen = false;
  closed.ahead.look();
  expect(closed.ahead.representationOf(7)).toBeUndefined();
});

test('what fails before the player asks is asked for anew by the player alone', async () => {
  const { ahead, followed } = nearTheEnd();
  ahead.look();
  followed[0]!.fail(new Error('gone'));
  await Promise.resolve();
  await Promise.resolve();
  ahead.look();
  expect(followed).toHaveLength(1);
  expect(ahead.adopt(asked(fragment(7)), () => undefined)).toBeUndefined();
});

test('after a seek nothing of it is left', () => {
  const { ahead, followed } = nearTheEnd();
  ahead.look();
  ahead.reset();
  expect(followed[0]!.abort).toHaveBeenCalledOnce();
  ahead.look();
  expect(followed).toHaveLength(1);
});
