// @ts-check
// Documents are written for the page of a Git host; here they become pages of the site, without a change to them.
import { instance as graphviz } from '@viz-js/viz';
import highlighter from 'highlight.js/lib/common';
import MarkdownIt from 'markdown-it';
import { anchorOf, resolveLink } from './addresses.mjs';
import { graphOf } from './flowchart.mjs';

/** @typedef {import('markdown-it/lib/token.mjs').default} Token */
/** @typedef {{ document: string, broken?: string[], files?: Set<string> }} Environment what a document is rendered with; collects */
/** @typedef {Parameters<typeof resolveLink>[2]} Repository */

const viz = await graphviz();

/** Without sizes, and without colours, which the page's style sheet has. @param {string} source */
function drawing(source) {
  const svg = viz.renderString(graphOf(source), { format: 'svg' });
  const bare = svg.slice(svg.indexOf('<svg')).replaceAll(/ (?:fill|stroke)="(?:black|lightgrey)"/g, '');
  return `<div class="drawing" role="img" aria-label="Diagram">${bare}</div>`;
}

/** @param {MarkdownIt} markdown @param {Token} token */
function codeBlock(markdown, token) {
  const [language = '', ...words] = token.info.trim().split(/\s+/);
  if (language === 'mermaid') return drawing(token.content);
  const known = highlighter.getLanguage(language) !== undefined;
  const code = known
    ? highlighter.highlight(token.content, { language }).value
    : markdown.utils.escapeHtml(token.content);
  const file = words.find((word) => word.includes('.'));
  const caption = file === undefined ? '' : `<figcaption>${markdown.utils.escapeHtml(file)}</figcaption>`;
  return `<figure class="code">${caption}<pre tabindex="0"><code class="language-${language}">${code}</code></pre></figure>\n`;
}

/** @param {Token} token @param {string} attribute @param {Environment} env @param {Repository} repository */
function adapt(token, attribute, env, repository) {
  const link = token.attrGet(attribute) ?? '';
  const { address, file, broken } = resolveLink(env.document, link, repository);
  if (broken) env.broken?.push(link);
  if (file !== undefined) env.files?.add(file);
  token.attrSet(attribute, address);
}

/** @param {Token[]} tokens @param {Environment} env @param {Repository} repository */
function adaptLinks(tokens, env, repository) {
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    if (token.type === 'link_open') adapt(token, 'href', env, repository);
    if (token.type === 'image') {
      adapt(token, 'src', env, repository);
      token.attrSet('loading', 'lazy');
    }
  }
}

/** @param {Token[]} tokens */
function nameHeadings(tokens) {
  /** @type {Map<string, number>} */
  const used = new Map();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const texts = tokens[index + 1]?.children ?? [];
    const anchor = anchorOf(texts.map(({ content }) => content).join(''));
    const earlier = used.get(anchor) ?? 0;
    used.set(anchor, earlier + 1);
    token.attrSet('id', earlier === 0 ? anchor : `${anchor}-${earlier}`);
  }
}

/** @param {Repository} repository @returns {MarkdownIt} with the environment above */
export function createMarkdown(repository) {
  const markdown = new MarkdownIt({ html: true });
  markdown.core.ruler.push('site', (/** @type {{ tokens: Token[], env: Environment }} */ { tokens, env }) => {
    adaptLinks(tokens, env, repository);
    nameHeadings(tokens);
  });
  const { rules } = markdown.renderer;
  rules.fence = (tokens, index) => codeBlock(markdown, /** @type {Token} */ (tokens[index]));
  rules.table_open = () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n';
  rules.table_close = () => '</table></div>\n';
  rules.heading_close = (tokens, index) => {
    const { tag } = /** @type {Token} */ (tokens[index]);
    const id = tokens[index - 2]?.attrGet('id');
    return `<a class="anchor" href="#${id}" aria-label="Link to this section" data-pagefind-ignore>#</a></${tag}>\n`;
  };
  return markdown;
}
