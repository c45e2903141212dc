import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { describe, expect, test } from 'vitest';

const folder = (name: string): string => join(import.meta.dirname, name);
const targets = readdirSync(folder('targets')).map((file) => parse(file).name);

test('every target has seeds, and every seed a target', () => {
  expect(readdirSync(folder('seeds'))).toEqual(targets);
});

describe.each(targets)('%s', (name) => {
  const seeds = readdirSync(folder(`seeds/${name}`));

  test.each(seeds)('%s is no finding', async (seed) => {
    const { fuzz } = (await import(`./targets/${name}.ts`)) as { fuzz: (data: Uint8Array) => void };
    fuzz(readFileSync(join(folder(`seeds/${name}`), seed)));
  });
});
