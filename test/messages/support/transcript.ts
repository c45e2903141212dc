import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { abrNames } from '../../../src/abr-star/index.js';

/**
 * One block of a transcript: a line that begins with `$` or `>`, lines `NAME: TEXT` that belong to it, and, after an empty
 * line, the answer.
 */
export interface Prompt {
  /** Without the sign that it begins with. */
  readonly text: string;
  readonly fields: readonly (readonly [name: string, text: string])[];
}

/** Stands in transcripts for the names of all rules: a new rule changes no line. */
const RULES = abrNames.join(', ');
const EVERY_RULE = '{every rule}';

const isPrompt = (line: string) => /^[$>] /.test(line);
const FIELD = /^([\w.-]+): (.*)$/;

/** Answers every prompt of the file and compares all of it; `vitest -u` writes it anew. Undefined: cannot be asked here. */
export async function expectTranscript(
  name: string,
  answer: (prompt: Prompt) => Promise<string | undefined> | string | undefined,
): Promise<void> {
  const path = join(import.meta.dirname, '..', name);
  const blocks = readFileSync(path, 'utf8')
    .trim()
    .split(/\n\n+(?=[$>#] )/);
  const answered = await Promise.all(
    blocks.map((block) => (isPrompt(block) ? answerBlock(block, answer) : Promise.resolve(block))),
  );
  await expect(`${answered.join('\n\n')}\n`).toMatchFileSnapshot(path);
}

async function answerBlock(
  block: string,
  answer: (prompt: Prompt) => Promise<string | undefined> | string | undefined,
): Promise<string> {
  const [question = '', ...rest] = block.split('\n\n');
  const [line = '', ...fields] = question.split('\n');
  const prompt = {
    text: line.slice(2),
    fields: fields.map((field) => FIELD.exec(field)!).map(([, name, text]) => [name!, text!] as const),
  };
  const said = await answer(prompt);
  const lines = said?.replaceAll(RULES, EVERY_RULE);
  return [question, ...(lines === undefined ? rest : [lines])].join('\n\n');
}
