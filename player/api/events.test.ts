import { describe, expect, it, vi } from 'vitest';
import { EventEmitter } from './events.js';

interface Events {
  number: number;
  text: string;
}

describe('EventEmitter', () => {
  it('calls the listeners of that type only, until they are taken off', () => {
    const events = new EventEmitter<Events>();
    const seen: number[] = [];
    const off = events.on('number', (value) => seen.push(value));
    events.emit('number', 1);
    events.emit('text', 'other');
    off();
    events.emit('number', 2);
    expect(seen).toEqual([1]);
  });

  it('lets the other listeners and the emitter go on when one throws, and surfaces the error', () => {
    const surfaced = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => undefined);
    const events = new EventEmitter<Events>();
    const seen: number[] = [];
    events.on('number', () => {
      throw new Error('listener');
    });
    events.on('number', (value) => seen.push(value));
    events.emit('number', 1);
    expect(seen).toEqual([1]);
    expect(surfaced.mock.calls[0]![0]).toThrow('listener');
    surfaced.mockRestore();
  });
});
