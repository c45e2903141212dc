import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { abrNames } from '../../../lab/rivals/registry.js';
import { presets } from '../../../tools/compare/presets.mjs';

/**
 * One block of a transcript: a line that begins with `$` or `>`, lines `NAME: TEXT` that belong to it, and, after an empty
 * line, the answer.
 */
export interface Prompt {
  /** Without the sign that it begins with. */
  readonly text: string;
  readonly fields: readonly (readonly [name: string, text: string])[];
}

/** Stand in transcripts for lists that grow, and depend on the machine: a new rule changes no line. */
const LISTS = {
  '{every rule}': abrNames.join(', '),
  '{every preset}': presets()
    .map(({ id }) => id)
    .join(', '),
};

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
  const lines = said && Object.entries(LISTS).reduce((text, [name, list]) => text.replaceAll(list, name), said);
  return [question, ...(lines === undefined ? rest : [lines])].join('\n\n');
}
