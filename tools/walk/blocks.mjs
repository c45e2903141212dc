// @ts-check
/**
 * A block of code in a document. What stands behind its language says what a reader does with it.
 * @typedef {object} Block
 * @property {string} language
 * @property {string | undefined} use `sh`: `server` runs on until the document ends; `each`: every line is a command of its own, which ends or
 *   prints an address; `long` takes minutes, or installs something. Other languages: the file that it is, or changes (`diff`). Any other
 *   word: a release of Debian that it is for, or a name in the table of what stands in for a block (`tools/newcomer/stand-ins.mjs`)
 * @property {string} code
 * @property {number} line of the document at which its code begins, from 1
 */

/** @param {string} markdown @returns {Block[]} in the document's order; blocks without a language are what programs print */
export function blocksOf(markdown) {
  return [...markdown.matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm)].map(
    ({ index, 1: language, 2: use, 3: code }) => ({
      language: language ?? '',
      use,
      code: code ?? '',
      line: markdown.slice(0, index).split('\n').length + 1,
    }),
  );
}
