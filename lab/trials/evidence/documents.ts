import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from '../../../tools/setup/paths.mjs';
import { UserError } from '../../../tools/setup/process.mjs';

/** A file of the repository and what it should be. */
export interface Document {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
}

const BLOCK = /(<!-- evidence: (.+?) -->\n)[^]*?(<!-- end of evidence -->)/g;

/** A document with its blocks filled: what stands between `<!-- evidence: NAME -->` and `<!-- end of evidence -->`. */
export function filled(path: string, text: string, blockOf: (name: string) => string | undefined): string {
  return text.replaceAll(BLOCK, (_, begin: string, name: string, end: string) => {
    const block = blockOf(name);
    if (block === undefined) throw new UserError(`${path}: no evidence is called '${name}'`);
    return `${begin}\n${wrapped(block)}\n\n${end}`;
  });
}

/** No line of prose is longer (test/unit/documents.test.ts allows a little more). */
const LINE_LENGTH = 150;

/** Text with long lines of prose and of lists broken between words; tables and code stay as they are. */
export function wrapped(text: string): string {
  let isCode = false;
  return text
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('```')) isCode = !isCode;
      return isCode || line.startsWith('|') ? [line] : brokenLine(line);
    })
    .join('\n');
}

function brokenLine(line: string): string[] {
  const indentation = line.startsWith('- ') ? '  ' : '';
  const lines: string[] = [];
  let rest = line;
  while (rest.length > LINE_LENGTH) {
    const at = rest.lastIndexOf(' ', LINE_LENGTH);
    if (at <= indentation.length) break;
    lines.push(rest.slice(0, at));
    rest = `${indentation}${rest.slice(at + 1)}`;
  }
  return [...lines, rest];
}

/** The document as `npm run format` leaves it. */
export async function formatted({ path, text }: Document): Promise<Document> {
  const filepath = join(root, path);
  return { path, text: await format(text, { ...(await resolveConfig(filepath)), filepath }) };
}

export function textOf(path: string): string {
  const filepath = join(root, path);
  return existsSync(filepath) ? readFileSync(filepath, 'utf8') : '';
}

export function write({ path, text }: Document): void {
  writeFileSync(join(root, path), text);
}

/** Lines that only the file has (-) and that only the document has (+), in order; empty where they are the same. */
export function differences(found: string, expected: string): string[] {
  if (found === expected) return [];
  const [ours, theirs] = [found.split('\n'), expected.split('\n')];
  // Lengths of the longest common subsequences of what follows.
  const common = Array.from({ length: ours.length + 1 }, () => new Uint32Array(theirs.length + 1));
  for (let i = ours.length - 1; i >= 0; i--)
    for (let j = theirs.length - 1; j >= 0; j--)
      common[i]![j] =
        ours[i] === theirs[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const lines: string[] = [];
  for (let i = 0, j = 0; i < ours.length || j < theirs.length;) {
    if (ours[i] === theirs[j]) [i, j] = [i + 1, j + 1];
    else if (j === theirs.length || (i < ours.length && common[i + 1]![j]! >= common[i]![j + 1]!))
      lines.push(`${i + 1} - ${ours[i++]!}`);
    else lines.push(`${i + 1} + ${theirs[j++]!}`);
  }
  return lines;
}
