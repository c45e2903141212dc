// @ts-check
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** @type {typeof import('typescript')} */
const ts = createRequire(import.meta.url)('typescript');

/**
 * Bundles TypeScript in words that compress better.
 * @param {(text: string) => string} change of a module
 * @returns {import('esbuild').Plugin}
 */
export const changed = (change) => ({
  name: 'changed',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => ({ loader: 'ts', contents: change(readFileSync(path, 'utf8')) }));
  },
});

/**
 * Declares constants by `let`: TypeScript has seen that nothing assigns to them, and one word compresses better than two.
 * @param {string} text a module @returns {string}
 */
export function loosen(text) {
  /** @type {[start: number, end: number, text: string][]} */
  const edits = [];
  /** @param {import('typescript').Node} node */
  const visit = (node) => {
    const word = ts.isVariableDeclarationList(node) ? node.getFirstToken() : undefined;
    if (word?.kind === ts.SyntaxKind.ConstKeyword) edits.push([word.getStart(), word.getEnd(), 'let']);
    ts.forEachChild(node, visit);
  };
  visit(sourceOf(text));
  return edited(text, edits);
}

/**
 * Makes what TypeScript keeps private of a constructor's parameters private in the script, too, `#name` for `private name`: names of
 * private members may be short.
 * @param {string} text a module @returns {string}
 */
export function harden(text) {
  /** @type {[start: number, end: number, text: string][]} */
  const edits = [];
  /** @param {import('typescript').ClassLikeDeclaration} node */
  const inClass = (node) => {
    const constructor = node.members.find(ts.isConstructorDeclaration);
    const kept = constructor?.parameters.filter(isPrivate) ?? [];
    if (!constructor?.body || kept.length === 0) return;
    const names = new Set(kept.map(({ name }) => name.getText()));
    for (const { modifiers, name } of kept) edits.push([modifiers?.[0]?.getStart() ?? 0, name.getStart(), '']);
    const [start, body] = [constructor.getStart(), constructor.body.getStart() + 1];
    edits.push([start, start, [...names].map((name) => `#${name};`).join('')]);
    edits.push([body, body, [...names].map((name) => `this.#${name}=${name};`).join('')]);
    /** @param {import('typescript').Node} inner */
    const visit = (inner) => {
      const isMember = ts.isPropertyAccessExpression(inner) && inner.expression.kind === ts.SyntaxKind.ThisKeyword;
      if (isMember && names.has(inner.name.text)) edits.push([inner.name.getStart(), inner.name.getStart(), '#']);
      ts.forEachChild(inner, visit);
    };
    visit(node);
  };
  /** @param {import('typescript').Node} node */
  const visit = (node) => {
    if (ts.isClassLike(node)) inClass(node);
    ts.forEachChild(node, visit);
  };
  visit(sourceOf(text));
  return edited(text, edits);
}

/** @param {string} text */
const sourceOf = (text) => ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest, true);

/** @param {string} text @param {[start: number, end: number, text: string][]} edits */
const edited = (text, edits) =>
  edits
    .sort((a, b) => b[0] - a[0])
    .reduce((edited, [start, end, with_]) => edited.slice(0, start) + with_ + edited.slice(end), text);

/** @param {import('typescript').ParameterDeclaration} parameter */
const isPrivate = ({ modifiers }) => modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) ?? false;
