import { expect, test } from 'vitest';
import { reasonAgainst } from './browser-support.js';

test.each([
  ['Chromium', 'Google Inc.'],
  ['Firefox', ''],
])('%s is tried when it has WebTransport', (_, vendor) => {
  expect(reasonAgainst({ vendor, hasWebTransport: true })).toBeUndefined();
});

test('Safari is left to HTTP although it has WebTransport, for a reason with a number', () => {
  expect(reasonAgainst({ vendor: 'Apple Computer, Inc.', hasWebTransport: true })).toMatch(/WebKit.*319818/);
});

test('a browser without WebTransport is left to HTTP', () => {
  expect(reasonAgainst({ vendor: 'Google Inc.', hasWebTransport: false })).toBe('this browser has no WebTransport');
});
