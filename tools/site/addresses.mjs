// @ts-check
// Where documents stand on the site, and where their links lead there. Paths are those of the repository, with slashes.
import { posix } from 'node:path';

/** @param {string} document @returns its page: `docs/ABR.html`; that of a README is its folder's, but for the first one */
export function pageOf(document) {
  if (document === 'README.md') return 'README.html';
  return document.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html');
}

/** @param {string} from @param {string} to both paths of the site @returns {string} */
export function relativeAddress(from, to) {
  return posix.relative(posix.dirname(from), to) || posix.basename(to);
}

/** @param {string} address */
const isOutside = (address) => /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(address);

/**
 * What a link of a document leads to on the site.
 * @param {string} document @param {string} link as it stands there
 * @param {{ isDocument: (path: string) => boolean, isFile: (path: string) => boolean }} repository
 * @returns {{ address: string, file?: string, broken?: true }} `file`: one that is no page and goes to the site as it is
 */
export function resolveLink(document, link, { isDocument, isFile }) {
  if (isOutside(link) || link.startsWith('#')) return { address: link };
  const [path = '', anchor] = link.split('#');
  const target = posix.join(posix.dirname(document), decodeURI(path)).replace(/\/$/, '');
  const found = [target, `${target}/README.md`].find(isDocument);
  const page = pageOf(document);
  const suffix = anchor === undefined ? '' : `#${anchor}`;
  if (found !== undefined) return { address: relativeAddress(page, pageOf(found)) + suffix };
  if (isFile(target)) return { address: relativeAddress(page, target) + suffix, file: target };
  return { address: link, broken: true };
}

/** The anchor of a heading, as Git hosts make it. @param {string} title as it is shown */
export function anchorOf(title) {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}
