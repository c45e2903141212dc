import { expect, it } from 'vitest';
import type { Delivery } from '../player/api/types.js';
import { deliveryText } from './delivery-badge.js';

const came = (...deliveries: readonly Delivery[]) => deliveries.map((delivery, index) => ({ index, delivery }));

it('says how segments came, by delivery', () => {
  expect(deliveryText(came('http', 'datagrams', 'datagrams'), 'auto')).toEqual({
    ...{ text: 'datagrams 2 · HTTP 1', tone: 'good' },
  });
  expect(deliveryText([...came('http'), { index: 0, delivery: 'streams' }], 'auto').text).toBe('streams 1');
});

it('says nothing of what has not come, whatever was asked for', () => {
  expect(deliveryText([], 'datagrams').text).toBe('nothing has come yet');
});

it('marks what came by less than was asked for', () => {
  expect(deliveryText(came('datagrams', 'http'), 'auto').tone).toBe('less');
  expect(deliveryText(came('streams'), 'datagrams').tone).toBe('less');
  expect(deliveryText(came('streams'), 'auto').tone).toBe('good');
  expect(deliveryText(came('http'), 'http').tone).toBe('http');
});
