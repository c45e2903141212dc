import { expect, it } from 'vitest';
import { inKilobits } from './mended-l2a.js';

it('shows L2A a ladder in kbit/s, and chooses of the ladder as it is', () => {
  const rungs = [
    { id: 'v0', bandwidth: 250_000, bitrateInKbit: 250 },
    { id: 'v1', bandwidth: 900_000, bitrateInKbit: 900 },
  ];
  const controller = {
    getPossibleVoRepresentationsFilteredBySettings: () => rungs,
    getRepresentationByAbsoluteIndex: (index: number) => rungs[index],
  };
  const context = { getAbrController: () => controller, getMediaType: () => 'video' };
  const mended = inKilobits(context) as typeof context;
  const seen = mended.getAbrController().getPossibleVoRepresentationsFilteredBySettings();
  expect(seen.map(({ id, bandwidth }) => [id, bandwidth])).toEqual([
    ['v0', 250],
    ['v1', 900],
  ]);
  expect(mended.getAbrController().getRepresentationByAbsoluteIndex(1)).toBe(rungs[1]);
  expect(mended.getMediaType()).toBe('video');
  expect(rungs[0]!.bandwidth).toBe(250_000);
});
