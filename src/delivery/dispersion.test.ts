import { expect, test } from 'vitest';
import { DispersionMeter } from './dispersion.js';

test('a chunk shows the bytes after its first datagram, and the time from that to the last', () => {
  const meter = new DispersionMeter();
  expect(meter.dispersion).toBeUndefined();
  meter.add(1000, 500);
  expect(meter.dispersion).toBeUndefined();
  meter.add(900, 510);
  meter.add(800, 540);
  expect(meter.dispersion).toEqual({ packets: 3, bytes: 1700, seconds: 0.04 });
});

test('on a stream, what is read at once is one arrival of several packets', () => {
  const meter = new DispersionMeter();
  meter.addFromStream(4096, 500);
  meter.addFromStream(1000, 500);
  meter.addFromStream(4096, 520);
  meter.addFromStream(600, 530);
  expect(meter.dispersion).toEqual({ packets: 10, bytes: 4696, seconds: 0.03 });
});
