import { expect, it } from 'vitest';
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
