import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { main } from './main.js';

const folder = mkdtempSync(join(tmpdir(), 'voxel-compare-'));
const place = (name: string) => join(folder, name);
const rule = place('lowest.mjs');

beforeAll(() => {
  writeFileSync(rule, 'export default { choose: ({ options }) => ({ option: options[0], delay: 0 }) };');
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterAll(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const words = ['--rule', rule, '--abr', 'tput', '--traces', 'lte-like', '--shifts', '2'];
const small = [...words, '--buffers', '1', '--segments', '5'];

/** Compares into a folder, with further options. */
function compared(out: string, ...more: string[]): Promise<number> {
  return main(['compare', ...small, '--out', place(out), ...more]);
}

const FILES = ['sessions.jsonl', 'summary.csv', 'report.html'];
const textOf = (out: string, file: string) => readFileSync(join(place(out), file), 'utf8');
const textsOf = (out: string) => FILES.map((file) => textOf(out, file));

describe('voxel-lab compare', () => {
  it('comes to the same in two shards, once their sessions are one file', async () => {
    expect(await compared('whole')).toBe(0);
    for (const shard of ['1/2', '2/2']) expect(await compared(`shard-${shard[0]!}`, '--shard', shard)).toBe(0);
    mkdirSync(place('both'));
    const lines = ['shard-2', 'shard-1'].map((out) => textOf(out, 'sessions.jsonl'));
    writeFileSync(join(place('both'), 'sessions.jsonl'), lines.join(''));
    expect(await compared('both', '--report')).toBe(0);
    expect(textsOf('both')).toEqual(textsOf('whole'));
    await expect(compared('shard-1', '--report')).rejects.toThrow(/sessions\.jsonl: 20 of 40 sessions are missing/);
  });

  it('goes on where it was interrupted, in the middle of a line', async () => {
    expect(await compared('cut')).toBe(0);
    const before = textsOf('cut');
    writeFileSync(join(place('cut'), 'sessions.jsonl'), before[0]!.slice(0, before[0]!.length / 3));
    expect(await compared('cut', '--resume')).toBe(0);
    expect(textsOf('cut')).toEqual(before);
  });

  it('replaces nothing without a word, and mixes nothing', async () => {
    expect(await compared('kept')).toBe(0);
    const before = textsOf('kept');
    await expect(compared('kept')).rejects.toThrow(/sessions\.jsonl is there already: --resume/);
    await expect(compared('kept', '--resume', '--segments', '6')).rejects.toThrow(/of other settings, links or rules/);
    expect(textsOf('kept')).toEqual(before);
    expect(await compared('kept', '--replace', '--segments', '6')).toBe(0);
    expect(textOf('kept', 'sessions.jsonl')).not.toBe(before[0]);
  });

  it('says of a rule that fails what and where, also from a thread, and leaves no folder of one that is none', async () => {
    const failing = place('failing.mjs');
    writeFileSync(failing, 'export default {\n  choose() {\n    return nothing;\n  },\n};\n');
    const many = ['--rule', failing, '--traces', 'lte-like', '--segments', '5', '--shifts', '30', '--jobs', '2'];
    await expect(main(['compare', ...many, '--out', place('failed')])).rejects.toThrow(
      'failing.mjs: choose of segment 0 threw ReferenceError: nothing is not defined (line 3)',
    );
    writeFileSync(place('empty.mjs'), 'export const answer = 42;');
    const empty = ['--rule', place('empty.mjs'), '--out', place('none')];
    await expect(main(['compare', ...empty])).rejects.toThrow(/^empty\.mjs has no rule: expected .*; got nothing$/);
    expect(existsSync(place('none'))).toBe(false);
  });
});
