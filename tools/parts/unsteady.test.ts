import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RECORD, rowOf } from './unsteady.mjs';

it('writes a row of the table in one line, whatever failed', () => {
  const cells = ['browser', 'test/browser/a.test.ts', 'a | `b`:\n  <video> is *not*', ''];
  expect(rowOf(cells)).toBe("| `browser` | `test/browser/a.test.ts` | `a \\| 'b': <video> is *not*` |  |");
  expect(rowOf(['x'.repeat(500)]).length).toBeLessThan(200);
});

it('has its columns in the document', () => {
  expect(readFileSync(RECORD, 'utf8')).toMatch(
    /^\| date +\| commit +\| part +\| file +\| what failed +\| mended by +\|$/m,
  );
});
