import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { harden, loosen } from '../../tools/package/shorter-source.mjs';
import { internalNames } from '../../tools/package/internal-names.mjs';
import { root } from '../../tools/setup/paths.mjs';

/** Where the types are of what comes into a bundle from outside, and goes out of it. */
const DOORS = [
  'src/voxel-loader/messages.ts',
  'player/index.ts',
  'player/hls/index.ts',
  'player/live/index.ts',
  'player/element/index.ts',
  'lab/index.ts',
  'src/repair/public.ts',
  'player/dash/dash-types.ts',
  'player/hls/hls-types.ts',
];

/** What a file of this project declares: names of browsers are left alone anyway. */
const isOwn = (symbol: ts.Symbol): boolean =>
  symbol.declarations?.some((declaration) => !declaration.getSourceFile().isDeclarationFile) ?? false;

/** Names of all properties that a value of these types, or anything reached from it, may have. */
function namesBehind(files: readonly string[]): Set<string> {
  const paths = files.map((file) => join(root, file));
  const { config } = ts.readConfigFile(join(root, 'tsconfig.page.json'), (path) => readFileSync(path, 'utf8')) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(paths, options);
  const checker = program.getTypeChecker();
  const [names, seen] = [new Set<string>(), new Set<ts.Type>()];
  const follow = (type: ts.Type): void => {
    if (seen.has(type)) return;
    seen.add(type);
    if (type.isUnionOrIntersection()) type.types.forEach(follow);
    for (const argument of checker.getTypeArguments(type as ts.TypeReference)) follow(argument);
    for (const signature of type.getCallSignatures()) {
      follow(signature.getReturnType());
      for (const parameter of signature.getParameters()) follow(checker.getTypeOfSymbol(parameter));
    }
    for (const property of checker.getPropertiesOfType(type).filter(isOwn)) {
      const { valueDeclaration: declared } = property;
      if (declared && ts.getCombinedModifierFlags(declared) & ts.ModifierFlags.Private) continue;
      names.add(property.name);
      follow(checker.getTypeOfSymbol(property));
    }
  };
  for (const path of paths) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(path)!)!;
    for (const symbol of checker.getExportsOfModule(module)) {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      follow(
        target.flags & ts.SymbolFlags.Value ? checker.getTypeOfSymbol(target) : checker.getDeclaredTypeOfSymbol(target),
      );
      if (target.flags & ts.SymbolFlags.Type) follow(checker.getDeclaredTypeOfSymbol(target));
    }
  }
  return names;
}

test('no name that is shortened is one of a page, a player or a message', () => {
  const outside = namesBehind(DOORS);
  expect(outside.size).toBeGreaterThan(300);
  expect(internalNames().filter((name) => outside.has(name))).toEqual([]);
});

test('constants are variables in the script', () => {
  expect(loosen('const a = [1] as const;\nfor (const b of a) f(() => { const c = b; return c; });')).toBe(
    'let a = [1] as const;\nfor (let b of a) f(() => { let c = b; return c; });',
  );
});

test('parameters that TypeScript keeps private are private in the script', () => {
  const text = 'class A {\n  constructor(private readonly a: B, b = 1) {}\n  get() { return this.a + other.a; }\n}';
  expect(harden(text)).toBe(
    'class A {\n  #a;constructor(a: B, b = 1) {this.#a=a;}\n  get() { return this.#a + other.a; }\n}',
  );
});
