// @ts-check
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import Eleventy from '@11ty/eleventy';
import * as pagefind from 'pagefind';
import { root } from '../setup/paths.mjs';
import { say, UserError } from '../setup/process.mjs';
import { pageOf, relativeAddress } from './addresses.mjs';
import { API_SECTION, apiDocuments } from './api.mjs';
import { contentsOf, titleOf } from './contents.mjs';
import { keptFigures } from './figures.mjs';
import { brokenLinks } from './links.mjs';
import { createMarkdown } from './markdown.mjs';
import { outlineOf } from './outline.mjs';
import { repositoryFiles } from './repository.mjs';

const THEME = 'tools/site/theme';

/** @param {string} file */
const textOf = (file) => readFileSync(join(root, file), 'utf8');

/** What README says in bold, and its first paragraph after that. @param {string} readme */
function introductionOf(readme) {
  const [, sentence = '', reason = ''] = /^\*\*(.*?)\*\*\n\n(.*?)\n\n/ms.exec(readme) ?? [];
  return { sentence, reason: reason.replaceAll('\\*', '*') };
}

/**
 * @typedef {object} Collected while the documents are rendered
 * @property {Set<string>} files that they link to and that are no documents
 * @property {[document: string, link: string][]} broken
 */

/**
 * @param {import('@11ty/eleventy').Config} config
 * @param {ReadonlyMap<string, string>} documents by their paths @param {ReadonlyMap<string, string>} made those of them that are not in the repository
 * @param {Record<string, unknown>} shared data of all pages @param {Collected} collected
 */
function configure(config, documents, made, shared, collected) {
  const files = new Set(repositoryFiles());
  const markdown = createMarkdown({
    isDocument: (path) => documents.has(path),
    isFile: (path) => files.has(path),
  });
  config.setLibrary('md', {
    set() {},
    disable() {},
    render(text, data) {
      const document = String(data.document);
      /** @type {string[]} */
      const broken = [];
      const html = markdown.render(text, { document, broken, files: collected.files });
      for (const link of broken) collected.broken.push([document, link]);
      return html;
    },
  });
  config.addFilter('pageOf', pageOf);
  config.addFilter('outline', outlineOf);
  config.addFilter('from', (/** @type {string} */ target, /** @type {{ url: string }} */ page) =>
    relativeAddress(page.url.slice(1).replace(/(^|\/)$/, '$1index.html'), target),
  );
  for (const [name, value] of Object.entries(shared)) config.addGlobalData(name, value);
  for (const [document, text] of documents) {
    config.addTemplate(document, text, {
      ...{ document, permalink: pageOf(document), layout: 'page.njk', templateEngineOverride: 'md' },
      ...{
        title: titleOf(text) ?? document,
        isMade: made.has(document),
        isRecord: /^docs\/results\/|^CHANGELOG/.test(document),
      },
    });
  }
}

/** @param {string} out */
async function writeIndex(out) {
  const { index, errors } = await pagefind.createIndex({ forceLanguage: 'en' });
  if (index === undefined) throw new UserError(`pagefind: ${errors.join('; ')}`, 1);
  await index.addDirectory({ path: out });
  await index.writeFiles({ outputPath: join(out, 'pagefind') });
  await pagefind.close();
}

/** A folder that holds something else is not ours to remove. @param {string} out */
function begin(out) {
  if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, 'assets/site.js')))
    throw new UserError(`--out must be a new folder or an earlier site, and ${out} is neither`);
  rmSync(out, { recursive: true, force: true });
  cpSync(join(root, THEME, 'assets'), join(out, 'assets'), { recursive: true });
}

/**
 * Writes the site to `out`. Throws a `UserError` that names every broken link.
 * @param {{ out: string, recording?: string | undefined }} options @returns {Promise<{ pages: number }>}
 */
export async function buildSite({ out, recording }) {
  begin(out);
  say('reading documents and the types of the API …');
  const written = repositoryFiles().filter((file) => file.endsWith('.md'));
  const made = await apiDocuments();
  const documents = new Map([...written.map((file) => /** @type {const} */ ([file, textOf(file)])), ...made]);
  /** @type {Collected} */
  const collected = { files: new Set(['docs/demo.webp']), broken: [] };
  const shared = {
    ...introductionOf(documents.get('README.md') ?? ''),
    contents: contentsOf(documents, [API_SECTION]),
    figures: keptFigures(),
    recording: recording && 'recording/index.html',
  };
  say(`writing ${documents.size + 1} pages …`);
  const eleventy = new Eleventy(THEME, relative(process.cwd(), out), {
    quietMode: true,
    configPath: false,
    config: (config) => configure(config, documents, made, shared, collected),
  });
  await eleventy.write();
  for (const file of collected.files) {
    mkdirSync(dirname(join(out, file)), { recursive: true });
    cpSync(join(root, file), join(out, file));
  }
  if (recording !== undefined) cpSync(recording, join(out, 'recording'), { recursive: true });
  await writeIndex(out);
  const broken = [...collected.broken.map(([document, link]) => `${document}: ${link}`), ...brokenLinks(out)];
  if (broken.length > 0)
    throw new UserError(`links that lead nowhere:\n${[...new Set(broken)].map((line) => `  ${line}`).join('\n')}`, 1);
  return { pages: documents.size + 1 };
}
