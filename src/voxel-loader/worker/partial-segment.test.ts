import { expect, test } from 'vitest';
import { knownVersion, map } from '../../../test/unit/download-scene.js';
import { IntervalSet } from '../../manifest/interval-set.js';
import { PartialSegment } from './partial-segment.js';
import type { ReceivedSegment } from './types.js';

test('what is missing is asked for as the segment was, by whoever may read it', () => {
  const asked = { target: '/q00.mp4?token=1', headers: { authorization: 'Bearer 1' }, headerHosts: ['media.example'] };
  const received = { bytes: new Uint8Array(95), received: new IntervalSet(), lost: [] } as unknown as ReceivedSegment;
  const segment = new PartialSegment({ ...asked, map, file: knownVersion(), representation: 'q00' }, received);
  expect(segment.requestFor([{ start: 1010, end: 1060 }])).toMatchObject({
    ...asked,
    delivery: 'streams',
    unreliableBytes: 50,
  });
});
