import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from '../../tools/setup/paths.mjs';

/** The members of the exported union `ErrorCode`, as the type checker sees them. */
function errorCodes(): string[] {
  const file = join(root, 'player/api/errors.ts');
  const program = ts.createProgram([file], {
    strict: true,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  });
  const checker = program.getTypeChecker();
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!);
  const type = checker.getDeclaredTypeOfSymbol(symbols.find(({ name }) => name === 'ErrorCode')!);
  return (type as ts.UnionType).types.map((member) => (member as ts.StringLiteralType).value);
}

test('docs/ERRORS.md explains every error code, once, and no other', () => {
  const page = readFileSync(join(root, 'docs/ERRORS.md'), 'utf8');
  const explained = [...page.matchAll(/^\| `([\w-]+)`/gm)].map(([, code]) => code);
  expect(explained.sort()).toEqual(errorCodes().sort());
});
