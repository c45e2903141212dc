import { describe, expect, test } from 'vitest';
import { settle } from './placeholder.js';

const buffer = (bufferLevel: number) => ({ bufferLevel, bufferCapacity: 32, segmentDuration: 4 });

describe('placeholder', () => {
  test('stays while it and the buffer are below the level where BOLA would pause', () => {
    expect(settle(8, 20, buffer(12))).toEqual({ placeholder: 8, delay: 0 });
  });

  test('gives way before the buffer does', () => {
    expect(settle(12, 20, buffer(12))).toEqual({ placeholder: 8, delay: 0 });
    expect(settle(2, 20, buffer(25))).toEqual({ placeholder: 0, delay: 5 });
  });

  test('gains what the buffer loses while it is full', () => {
    expect(settle(3, 40, buffer(30))).toEqual({ placeholder: 5, delay: 2 });
  });

  test('never pauses below 10 s or one segment, however low the score', () => {
    expect(settle(0, -50, buffer(12))).toEqual({ placeholder: 0, delay: 2 });
    expect(settle(0, -50, { bufferLevel: 14, bufferCapacity: 60, segmentDuration: 15 }).delay).toBe(0);
  });
});
