import { expect, it } from 'vitest';
import { OverWholeSegments } from '../../sim/over-whole-segments.js';
import { systemOf } from '../system.js';
import { voxelOptions } from './voxel-options.js';

function optionsOf(name: string) {
  const { player, delivery } = systemOf(name);
  return voxelOptions({ manifest: '', player, delivery, bufferSegments: 3, segmentDuration: 4 });
}

it('sends whole segments as datagrams where the system says so, although the rule is published for streams', () => {
  const { abr, strategy, delivery } = optionsOf('tput@datagrams+clipstream');
  expect(abr).toMatchObject({ name: 'tput' });
  expect(abr).not.toHaveProperty('delivery');
  expect([strategy, delivery]).toEqual(['clipstream', undefined]);
});

it('shows a rule whole segments alone where the system says so', () => {
  const { abr, delivery } = optionsOf('abr-star@whole');
  expect(abr).toBeInstanceOf(OverWholeSegments);
  expect(delivery).toBe('streams');
});

it('leaves a rule as it is otherwise', () => {
  expect(optionsOf('voxel').abr).toBe('abr-star');
  expect(optionsOf('tput@streams')).toMatchObject({ abr: 'tput', delivery: 'streams' });
});
