import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { main } from './main.js';
import { shardOption, shareOf } from './shard.js';

describe('shardOption', () => {
  it('reads a place among several, both from 1', () => {
    expect(shardOption(undefined)).toBeUndefined();
    expect(shardOption('2/3')).toEqual({ index: 2, of: 3 });
  });

  it.each(['0/2', '3/2', '1', '1/0', '1/2/3', '-1/2', 'a/b', '1/99999', ''])("says what '%s' is not", (text) => {
    expect(() => shardOption(text)).toThrow(/^--shard must be I\/N/);
  });
});

it('gives everything to exactly one of the shards', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 1, max: 12 }), (count, of) => {
      const items = Array.from({ length: count }, (_, item) => item);
      const shares = Array.from({ length: of }, (_, index) => shareOf(items, { index: index + 1, of }));
      expect(shares.flat().sort((a, b) => a - b)).toEqual(items);
      expect(
        Math.max(...shares.map(({ length }) => length)) - Math.min(...shares.map(({ length }) => length)),
      ).toBeLessThan(2);
    }),
  );
});

describe('a simulation in shards', () => {
  const words = ['--traces', 'lte-like', '--abr', 'tput,bola-e', '--buffers', '1', '--segments', '5', '--shifts', '3'];

  it('comes to the same as one, after their files have been put one after the other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'voxel-shards-'));
    const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const place = (name: string) => join(folder, name);
    const sessionsOf = (name: string) => readFileSync(join(place(name), 'sessions.jsonl'), 'utf8');
    try {
      expect(await main([...words, '--out', place('whole')])).toBe(0);
      for (const shard of ['1/2', '2/2'])
        expect(await main([...words, '--out', place(shard[0]!), '--shard', shard])).toBe(0);
      await expect(main([...words, '--out', place('1'), '--report'])).rejects.toThrow(
        /sessions\.jsonl: \d+ of \d+ sessions are missing/,
      );
      writeFileSync(join(place('1'), 'sessions.jsonl'), sessionsOf('2') + sessionsOf('1'));
      expect(await main([...words, '--out', place('1'), '--report'])).toBe(0);
      for (const file of ['sessions.jsonl', 'summary.csv', 'report.html'])
        expect(readFileSync(join(place('1'), file), 'utf8')).toBe(readFileSync(join(place('whole'), file), 'utf8'));
    } finally {
      output.mockRestore();
      rmSync(folder, { recursive: true });
    }
  });
});
