import { expect, it } from 'vitest';
import { PathEstimate } from './path.js';

it('counts what was lost on the way, whatever became of it', () => {
  const path = new PathEstimate();
  expect(path).toMatchObject({ lossRate: undefined, roundTrip: 0 });
  path.add({ bytesUnreliable: 900, bytesLost: 100, bytesRecovered: 30, bytesDecoded: 20, rtt: 80 });
  expect(path).toMatchObject({ lossRate: 0.15, roundTrip: 80 });
});

it('forgets with every download, and keeps the round trip while no other is known', () => {
  const path = new PathEstimate();
  path.add({ bytesUnreliable: 1000, bytesLost: 0, bytesRecovered: 100, bytesDecoded: 0, rtt: 80 });
  path.add({ bytesUnreliable: 1000, bytesLost: 0, bytesRecovered: 0, bytesDecoded: 0 });
  expect(path.lossRate).toBeCloseTo(80 / 1800);
  expect(path.roundTrip).toBe(80);
});
