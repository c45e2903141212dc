import { expect, it } from 'vitest';
import { idleShare, parseLinkLog } from './link-log.js';

const LOG = `second,arrived_packets,arrived_bytes,capacity_bytes,delivered_packets,delivered_bytes,late_us_max
0,1,1000,1000,1,200,1500
1,1,1000,1000,1,900,0
2,1,1000,1000,1,1000,0
3,1,100,500,1,100,0
`;

it('reads bytes and lateness by the names of the columns', () => {
  const [first, ...others] = parseLinkLog(LOG);
  expect(first).toMatchObject({ start: 0, deliveredPackets: 1, deliveredBytes: 200, capacityBytes: 1000, lateMs: 1.5 });
  expect(others.map(({ start }) => start)).toEqual([1, 2, 3]);
});

it('knows what was left unused in whole seconds', () => {
  const seconds = parseLinkLog(LOG);
  expect(idleShare(seconds, 0.4, 3.4)).toBeCloseTo(1 - 1900 / 2000);
  expect(idleShare(seconds, 0, 2)).toBeCloseTo(1 - 1100 / 2000);
  expect(idleShare(seconds, 0.4, 1.9)).toBeNull();
});
