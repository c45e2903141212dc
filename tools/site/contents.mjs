// @ts-check
// The site's table of contents: the rows of README's table of documents, then what is in docs/ and not in it.
import { posix } from 'node:path';
import MarkdownIt from 'markdown-it';

/** @typedef {{ document: string, title: string }} Entry */
/** @typedef {{ name: string, entries: Entry[] }} Section */

const markdown = new MarkdownIt({ html: true });

/** @param {string} text of a document @returns {string | undefined} its first heading, without marks */
export function titleOf(text) {
  const tokens = markdown.parse(text, {});
  const at = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1');
  return tokens[at + 1]?.children?.map(({ content }) => content).join('');
}

/** @param {string} readme @returns {{ name: string, documents: string[] }[]} of the table under “Documentation” */
function rowsOf(readme) {
  const [, below = ''] = readme.split(/^## Documentation$/m);
  const tokens = markdown.parse(below.split(/^## /m)[0] ?? '', {});
  const cells = tokens.filter(({ type }, index) => type === 'inline' && tokens[index - 1]?.type === 'td_open');
  /** @type {{ name: string, documents: string[] }[]} */
  const rows = [];
  for (let index = 0; index + 1 < cells.length; index += 2) {
    const links = (cells[index + 1]?.children ?? []).map((token) => token.attrGet('href') ?? '');
    rows.push({ name: cells[index]?.content ?? '', documents: links.filter((link) => link.endsWith('.md')) });
  }
  return rows;
}

/**
 * @param {ReadonlyMap<string, string>} documents their paths and texts @param {Section[]} [more] of pages that are no documents
 * @returns {Section[]}
 */
export function contentsOf(documents, more = []) {
  const rows = rowsOf(documents.get('README.md') ?? '');
  const listed = new Set(rows.flatMap((row) => row.documents));
  const others = [...documents.keys()].filter((path) => posix.dirname(path) === 'docs' && !listed.has(path));
  const title = (/** @type {string} */ document) => titleOf(documents.get(document) ?? '') ?? document;
  return [
    ...[...rows, { name: 'more', documents: others }]
      .map(({ name, documents }) => ({
        name,
        entries: documents.map((document) => ({ document, title: title(document) })),
      }))
      .filter(({ entries }) => entries.length > 0),
    ...more,
  ];
}
