import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Trial } from './plan.js';
import type { TrialResult } from './result.js';
import { ResultsFile } from './results-file.js';
import { unfinished } from './run-all.js';

let folder: string;
const path = () => join(folder, 'trials.jsonl');
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'trials-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const result = (id: string, valid = true) => ({ id, valid }) as TrialResult;
const trial = (id: string) => ({ id }) as Trial;

describe('ResultsFile', () => {
  it('gives back what an earlier run wrote', () => {
    new ResultsFile(path(), 'refuse').add(result('a'));
    const file = new ResultsFile(path(), 'continue');
    file.add(result('b'));
    expect(file.results.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(new ResultsFile(path(), 'continue').results).toEqual(file.results);
  });

  it('leaves no half line of an interrupted write behind, wherever it was cut', () => {
    const line = JSON.stringify(result('half'));
    for (let length = 1; length < line.length; length++) {
      rmSync(path(), { force: true });
      new ResultsFile(path(), 'refuse').add(result('a'));
      appendFileSync(path(), line.slice(0, length));
      new ResultsFile(path(), 'continue').add(result('b'));
      expect(readFileSync(path(), 'utf8')).toBe(`${JSON.stringify(result('a'))}\n${JSON.stringify(result('b'))}\n`);
    }
  });

  it('keeps seven digits of a figure', () => {
    new ResultsFile(join(folder, 'kept', 'sessions.jsonl'), 'refuse').add({ ...result('a'), score: 0.123456789 });
    expect(readFileSync(join(folder, 'kept', 'sessions.jsonl'), 'utf8')).toContain('"score":0.1234568');
  });

  it('is not mixed with an earlier run unless told so', () => {
    new ResultsFile(path(), 'refuse').add(result('a'));
    expect(() => new ResultsFile(path(), 'refuse')).toThrow('continue it with --resume');
  });

  it('names the line that is none of its own', () => {
    appendFileSync(path(), '{}\nnonsense\n{}\n');
    expect(() => new ResultsFile(path(), 'continue')).toThrow('trials.jsonl:2: the line is not the result of a trial');
  });
});

describe('unfinished', () => {
  it('repeats what does not count, as often as is asked for, and nothing that does', () => {
    const trials = ['valid', 'invalid', 'hopeless', 'new'].map(trial);
    const results = [
      result('valid', false),
      result('valid'),
      result('invalid', false),
      ...['hopeless', 'hopeless', 'hopeless'].map((id) => result(id, false)),
    ];
    const left = (attempts: number) => unfinished(trials, results, attempts).map(({ id }) => id);
    expect(left(3)).toEqual(['invalid', 'new']);
    expect(left(4)).toEqual(['invalid', 'hopeless', 'new']);
  });
});
