// @ts-check
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from '../setup/paths.mjs';

const require = createRequire(import.meta.url);
/** @type {typeof import('typescript')} */
const ts = require('typescript');

/**
 * Files that describe what is not the bundle's alone: objects of players and browsers, manifests and JSON, messages between page and
 * worker, which may come from two files, and constants that a page may name. What pages see is in `docs/api/`.
 */
const SHARED = [
  ...['player/api/', 'player/dash/dash-types.ts', 'player/dash/extensions.ts', 'player/dash/live/live-manifest.ts'],
  ...['player/dash/live/live-settings.ts', 'player/dash/presentation.ts', 'player/dash/rule-adapter.ts'],
  ...['player/dash/settings.ts', 'player/element/', 'player/hls/fragment-loader.ts', 'player/hls/hls-presentation.ts'],
  ...['player/hls/hls-types.ts', 'player/hls/level-chooser.ts', 'player/latency/', 'player/live/'],
  ...['src/abr-star/star/constants.ts', 'src/abr-star/types.ts', 'src/coding/symbols.ts', 'src/delivery/counts.ts'],
  ...['src/delivery/piece-queue.ts', 'src/delivery/protection.ts', 'src/delivery/strategy.ts'],
  ...['src/manifest/byte-range.ts', 'src/manifest/representation.ts', 'src/manifest/segment-map.ts'],
  ...['src/voxel-loader/discovery.ts', 'src/voxel-loader/messages.ts', 'src/voxel-loader/paths.ts'],
  ...['src/voxel-loader/piece-types.ts', 'src/voxel-loader/start-worker.ts', 'src/voxel-loader/types.ts'],
  'src/voxel-loader/worker/session.ts',
];

/** What bundles have of the laboratory: its strings may name a property. */
const LABORATORY = ['lab/rivals', 'lab/strategies', 'lab/worker'];

/** Shorter ones are not worth it. */
const LEAST_LENGTH = 3;

/**
 * Names in a file: those of members of its types and classes, keys of its objects (which may be more than names: of header fields, of
 * events), and its strings.
 * @typedef {Readonly<Record<'members' | 'keys' | 'strings', Set<string>>>} Names
 */

/** @param {string} path @returns {Names} */
function namesIn(path) {
  /** @type {Names} */
  const names = { members: new Set(), keys: new Set(), strings: new Set() };
  /** @param {import('typescript').Node} node */
  const visit = (node) => {
    const isParameter = ts.isParameter(node) && ts.isParameterPropertyDeclaration(node, node.parent);
    const isMember =
      isParameter || (!ts.isObjectLiteralElementLike(node) && (ts.isClassElement(node) || ts.isTypeElement(node)));
    if (isMember && node.name && ts.isIdentifier(node.name)) names.members.add(node.name.text);
    if (ts.isObjectLiteralElementLike(node) && node.name && ts.isIdentifier(node.name)) names.keys.add(node.name.text);
    if (ts.isStringLiteralLike(node) && !ts.isLiteralTypeNode(node.parent)) names.strings.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true));
  return names;
}

/** Paths of the modules in a folder of the checkout, without tests. @param {string} folder @returns {string[]} */
const modulesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/(?:^|\/)testing\//.test(file))
    .map((file) => `${folder}/${file}`);

/** What browsers and their workers have. @returns {string[]} */
function libraries() {
  const folder = dirname(require.resolve('typescript'));
  const files = readdirSync(folder).filter((file) => /^lib\.(?:dom|es\d+|webworker)(?:\..+)?\.d\.ts$/.test(file));
  return files.map((file) => join(folder, file));
}

/** @type {readonly string[] | undefined} */
let known;

/**
 * Names of properties of the plugin that never leave a bundle, and so may be others: what types and classes of `src/` and `player/` have and no file
 * that describes more than the bundle does, and what is no string in them or in the laboratory.
 * `test/package/internal-names.test.ts` holds the types of what does leave it against them.
 */
export function internalNames() {
  if (known) return known;
  const own = [...modulesIn('src'), ...modulesIn('player')];
  const api = readdirSync(join(root, 'docs/api')).map((file) => join(root, 'docs/api', file));
  const isShared = (/** @type {string} */ file) => SHARED.some((place) => file.startsWith(place));
  const shared = [...libraries(), ...api, ...own.filter(isShared).map((file) => join(root, file))];
  const read = [...own, ...LABORATORY.flatMap(modulesIn)].map((file) => namesIn(join(root, file)));
  const taken = new Set([
    ...shared.map(namesIn).flatMap(({ members, keys }) => [...members, ...keys]),
    ...read.flatMap(({ strings }) => [...strings]),
  ]);
  const declared = new Set(read.slice(0, own.length).flatMap(({ members }) => [...members]));
  known = [...declared].filter((name) => name.length >= LEAST_LENGTH && !taken.has(name)).sort();
  return known;
}
