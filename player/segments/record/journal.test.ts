import { expect, it } from 'vitest';
import { VoxelError } from '../../../src/voxel-loader/errors.js';
import { EventEmitter } from '../../api/events.js';
import { Journal } from './journal.js';
import type { LivePluginEventMap } from '../../api/types.js';

it('keeps the latest hundred errors, and counts every fallback', () => {
  const journal = new Journal(new EventEmitter<LivePluginEventMap>());
  for (let index = 0; index < 150; index++)
    journal.fallback(new Error(`no. ${index}`), 'https://media.example/', index);
  expect(journal.fallbacks).toBe(150);
  expect(journal.errors).toHaveLength(100);
  expect(journal.errors.at(-1)).toContain('no. 149');
});

it('tells once, for all segments, what no later session can mend', () => {
  const events = new EventEmitter<LivePluginEventMap>();
  const journal = new Journal(events);
  const told: string[] = [];
  events.on('fallback', ({ code, index }) => told.push(`${code} ${index}`));
  for (let index = 0; index < 3; index++) {
    journal.fallback(new VoxelError('unsupported', 'no worker'), 'https://media.example/', index);
    journal.fallback(new VoxelError('discovery-failed', 'none', { status: 404 }), 'https://media.example/', index);
    journal.fallback(new VoxelError('status', 'answered 404', { status: 404 }), 'https://media.example/', index);
  }
  const ofSegments = ['status 0', 'status 1', 'status 2'];
  expect(told).toEqual(['unsupported undefined', 'discovery-failed undefined', ...ofSegments]);
  expect(journal.fallbacks).toBe(told.length);
});
