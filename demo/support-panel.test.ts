import { expect, it } from 'vitest';
import { failureText, pathText } from './support-panel.js';

it('says why no session opens without two marks in a row', () => {
  const message = 'the session could not be opened: Opening handshake failed.';
  expect(failureText({ message, retryIn: 2 })).toBe(
    'the session could not be opened: Opening handshake failed; next attempt in 2 s',
  );
  expect(failureText({ message, retryIn: undefined })).toMatch(/failed$/);
});

it('says of a path what is known of it', () => {
  const path = { url: 'https://a/voxel', cost: 0, bytes: 12_400_000, lossRate: 0, error: undefined };
  const open = { ...path, state: 'open', rate: 3.1e6, roundTrip: 20.4 } as const;
  expect(pathText(open)).toBe('open, 20 ms, 12.4 MB, 3.10 Mbit/s');
  const error = { code: 'timeout', message: 'silent' } as const;
  const failed = { ...path, state: 'failed', rate: undefined, roundTrip: undefined, error } as const;
  expect(pathText({ ...failed, cost: 1, lossRate: 0.0123 })).toBe('failed, 12.4 MB, 1.2 % lost, metered, silent');
});
