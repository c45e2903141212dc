// @ts-check
// Every address in the pages as they are written leads to a file of the site, and to an anchor in it.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

/** @param {string} html @returns {string[]} what it links to or loads */
function addressesIn(html) {
  return [...html.matchAll(/<(?!code)[a-z]+\b[^>]*?\s(?:href|src)="([^"]*)"/g)].map(([, address = '']) =>
    address.replaceAll('&amp;', '&'),
  );
}

/** What a page loads from elsewhere, which would not work offline. @param {string} html @returns {string[]} */
function loadedFromElsewhere(html) {
  const loads = html.matchAll(/<(?:script|img|iframe|source|link)\b[^>]*?\s(?:href|src)="((?:https?:)?\/\/[^"]*)"/g);
  const imports = html.matchAll(/@import[^;]*?((?:https?:)?\/\/[^;]*);/g);
  return [...loads, ...imports].map(([, address = '']) => `${address} (loaded from elsewhere)`);
}

/** @param {string} folder @returns {string[]} a line for each: `page: address` */
export function brokenLinks(folder) {
  const paths = readdirSync(folder, { recursive: true }).map((path) => String(path).replaceAll('\\', '/'));
  const pages = paths.filter((path) => path.endsWith('.html') && !path.startsWith('recording/'));
  const htmlOf = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]));
  /** @param {string} page @param {string} anchor */
  const hasAnchor = (page, anchor) => {
    const html = htmlOf.get(page);
    return html === undefined || html.includes(` id="${decodeURIComponent(anchor)}"`);
  };
  /** @param {string} page @param {string} address */
  const isBroken = (page, address) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(address)) return false;
    const [place = '', anchor] = address.split('#');
    const [path = ''] = place.split('?');
    const target = path === '' ? page : posix.join(posix.dirname(page), decodeURI(path));
    if (!existsSync(join(folder, target)) || statSync(join(folder, target)).isDirectory()) return true;
    return anchor !== undefined && !hasAnchor(target, anchor);
  };
  return [...htmlOf].flatMap(([page, html]) => [
    ...addressesIn(html)
      .filter((address) => isBroken(page, address))
      .map((address) => `${page}: ${address}`),
    ...loadedFromElsewhere(html).map((address) => `${page}: ${address}`),
  ]);
}
