// @ts-check
import { createRequire } from 'node:module';

/** @type {typeof import('typescript')} */
const ts = createRequire(import.meta.url)('typescript');

/**
 * What of a built script runs on the page: all of it but the worker's program, its longest string by far.
 * @param {string} script
 * @returns {string}
 */
export function pagePart(script) {
  const source = ts.createSourceFile('script.js', script, ts.ScriptTarget.Latest, true);
  /** @type {import('typescript').Node | undefined} */
  let longest;
  /** @param {import('typescript').Node} node */
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) && node.getWidth() > (longest?.getWidth() ?? 0)) longest = node;
    ts.forEachChild(node, visit);
  };
  visit(source);
  if (!longest) throw new Error('the script has no strings');
  return `${script.slice(0, longest.getStart())}""${script.slice(longest.getEnd())}`;
}
