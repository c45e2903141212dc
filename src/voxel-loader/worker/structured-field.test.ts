import { describe, expect, it } from 'vitest';
import { parseInteger, parseUnreliable } from './structured-field.js';

describe('structured fields', () => {
  it.each([
    ['12974;datagrams=11', 12974],
    [' 41 ', 41],
    ['0', 0],
    ['-1', undefined],
    ['1e3', undefined],
    ['1234567890123456', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('integer %j', (field, value) => {
    expect(parseInteger(field)).toBe(value);
  });

  it.each([
    ['?1;flow=17', 17],
    ['?1; flow=17', 17],
    ['?1;later=x;flow=0', 0],
    ['?0;flow=17', undefined],
    ['?1', undefined],
    ['?1;flow=-1', undefined],
    ['1;flow=17', undefined],
    [undefined, undefined],
  ])('x-voxel-unreliable %j', (field, flow) => {
    expect(parseUnreliable(field)).toBe(flow);
  });
});
