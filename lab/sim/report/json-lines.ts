import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../../../tools/setup/process.mjs';

/** The whole lines of a file, each of which holds `what`. Throws a `UserError` that names the line. */
export function readJsonLines<Line>(path: string, what: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  // What follows the last line break is empty, or half a line.
  return lines.slice(0, -1).map((line, index) => {
    try {
      return JSON.parse(line) as Line;
    } catch {
      throw new UserError(`${path}:${index + 1}: the line is not ${what}`);
    }
  });
}

/** The same; none where there is no file. */
export function keptJsonLines<Line>(path: string, what: string): Line[] {
  return existsSync(path) ? readJsonLines<Line>(path, what) : [];
}

/** Adds lines, in one write, so that what is cut off lacks whole steps. */
export function appendJsonLines(path: string, lines: readonly object[]): void {
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
