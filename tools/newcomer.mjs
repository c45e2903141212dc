// @ts-check
// `npm run newcomer`: follows the documents to the letter on a bare Debian.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCUMENTS } from './newcomer/documents.mjs';
import { parseOptions, RELEASES, USAGE } from './newcomer/options.mjs';
import {
  bringCheckout,
  bringFilm,
  bringPebble,
  bringProgram,
  folderOf,
  makeRoot,
  startMachine,
} from './newcomer/root.mjs';
import { STAND_INS } from './newcomer/stand-ins.mjs';
import { countsOf, nameOf, newcomerTable } from './newcomer/table.mjs';
import { root } from './setup/paths.mjs';
import { runCommand, say, UserError } from './setup/process.mjs';
import { blocksOf } from './walk/blocks.mjs';
import { Walk } from './walk/walk.mjs';

/** @typedef {import('./newcomer/table.mjs').Row} Row */
/** @typedef {import('./newcomer/documents.mjs').Walked} Walked */
/** @typedef {import('./walk/blocks.mjs').Block} Block */
/** @typedef {Awaited<ReturnType<typeof startMachine>> & { release: string, hasPebble: boolean, program?: string | undefined }} Machine */

const OUTPUT = join(root, 'output/newcomer');

/** A block that takes longer hangs. */
const PATIENCE_MS = 45 * 60_000;

/** @param {string} document @returns {Block[]} */
const blocksIn = (document) => blocksOf(readFileSync(join(root, document), 'utf8'));

/** @param {Block} block @param {{ program?: string | undefined }} options */
function standInOf({ use = '' }, options) {
  const standIn = STAND_INS[use];
  return standIn?.given !== undefined && options[standIn.given] === undefined ? undefined : standIn;
}

/** @param {Block} block @param {string} release @returns whether the block is for another one */
const isForeign = ({ use = '' }, release) => RELEASES.includes(use) && use !== release;

/** What becomes of a block, before it is run. @param {string} document @param {Block} block @param {{ release?: string, program?: string | undefined }} options @returns {Row} */
function planned(document, block, options) {
  const { release } = options;
  const row = { document, line: block.line, block: nameOf(block) };
  if (release !== undefined && isForeign(block, release))
    return { ...row, outcome: 'listed', reason: `for ${block.use}` };
  const standIn = standInOf(block, options);
  const outcome = standIn === undefined ? 'ran' : standIn.instead === undefined ? 'listed' : 'stand-in';
  return { ...row, outcome, reason: standIn?.why ?? '' };
}

/** Follows one block, or what stands in for it. @param {Walk} walk @param {Block} block @param {Machine} machine */
async function follow(walk, block, machine) {
  if (isForeign(block, machine.release)) return;
  const standIn = standInOf(block, machine);
  const clock = setTimeout(() => walk.interrupt(), PATIENCE_MS);
  try {
    if (standIn === undefined) await walk.follow(block);
    else if (standIn.instead !== undefined) {
      const read = (/** @type {string} */ path) => {
        const file = join(folderOf(machine.release), path);
        return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
      };
      await walk.type(standIn.instead({ block: block.code, read, hasPebble: machine.hasPebble }));
    }
  } finally {
    clearTimeout(clock);
  }
}

/** @param {Walked} walked @param {Machine} machine @returns {Promise<Row[]>} */
async function walkThrough({ document, leaves, pages = [] }, machine) {
  const log = join(OUTPUT, machine.release, `${document.replaceAll('/', '-')}.log`);
  writeFileSync(log, '');
  const hear = (/** @type {string} */ text) => appendFileSync(log, text);
  const walk = new Walk(machine.place, { folder: machine.folder, path: machine.path, hear });
  /** @type {Row[]} */
  const rows = [];
  /** @param {Row} row @param {() => Promise<void>} act */
  const step = async (row, act) => {
    const started = Date.now();
    try {
      await act();
      rows.push({ ...row, seconds: Math.round((Date.now() - started) / 1000) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      hear(`\n${message}\n`);
      const last = message.trim().split('\n').at(-1) ?? '';
      rows.push({
        ...row,
        outcome: 'FAILED',
        reason: last.slice(0, 160),
        seconds: Math.round((Date.now() - started) / 1000),
      });
    }
    const { line, block, outcome, seconds } = /** @type {Row} */ (rows.at(-1));
    say(`${machine.release} ${document}:${line} ${block}: ${outcome} (${seconds} s)`);
  };
  try {
    if (leaves !== undefined) await walk.type(`rm -rf '${leaves}'`);
    for (const block of blocksIn(document))
      await step(planned(document, block, machine), () => follow(walk, block, machine));
    for (const { url, shows } of pages) {
      const viewer = new Walk(machine.place, { folder: machine.folder, path: machine.path, hear });
      const row = /** @type {Row} */ ({
        document,
        line: 0,
        block: `opens ${url}`,
        outcome: 'ran',
        reason: `shows ${shows}`,
      });
      await step(row, () => viewer.type(`node tools/newcomer/look.mjs '${url}' '${shows}'`));
    }
  } finally {
    await walk.end();
  }
  return rows;
}

/** What is known of documents from runs before, in the same root. @param {string} release @returns {Record<string, Row[]>} */
function earlier(release) {
  const file = join(OUTPUT, release, 'rows.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** @param {string} release @param {Record<string, Row[]>} known */
const keep = (release, known) => writeFileSync(join(OUTPUT, release, 'rows.json'), JSON.stringify(known, undefined, 1));

/** @param {string} release @param {ReturnType<typeof parseOptions>} options @returns {Promise<Row[]>} */
async function walkRelease(release, options) {
  mkdirSync(join(OUTPUT, release), { recursive: true });
  const isNew = options.fresh || !existsSync(folderOf(release));
  if (isNew) await makeRoot(release, options.mirror);
  await bringCheckout(release);
  await bringFilm(release);
  if (options.program !== undefined) bringProgram(release, options.program);
  const hasPebble = await bringPebble(release);
  if (isNew) keep(release, {});
  const isDone = (/** @type {string} */ document) =>
    earlier(release)[document]?.every(({ outcome }) => outcome !== 'FAILED');
  const machine = { ...(await startMachine(release, options)), release, hasPebble, program: options.program };
  try {
    for (const walked of DOCUMENTS) {
      const { document } = walked;
      if (options.only.length > 0 ? !options.only.includes(document) : isDone(document)) continue;
      const rows = await walkThrough(walked, machine);
      keep(release, { ...earlier(release), [document]: rows });
      say(`${release} ${document}: ${countsOf(rows)}`);
    }
  } finally {
    machine.stop();
  }
  const known = earlier(release);
  return DOCUMENTS.flatMap(({ document }) => known[document] ?? []);
}

/** @param {ReturnType<typeof parseOptions>} options @returns {Row[]} */
function list(options) {
  const documents = DOCUMENTS.filter(({ document }) => options.only.length === 0 || options.only.includes(document));
  return documents.flatMap(({ document }) => blocksIn(document).map((block) => planned(document, block, options)));
}

await runCommand(async () => {
  const options = parseOptions(process.argv.slice(2), process.env);
  if (options.help || options.list) {
    console.log(options.help ? USAGE : newcomerTable(list(options)));
    return 0;
  }
  if (process.getuid?.() !== 0)
    throw new UserError('a bare root is made and entered by root: sudo npm run newcomer -- …');
  let failed = false;
  for (const release of options.releases) {
    const rows = await walkRelease(release, options);
    console.log(`${release}\n\n${newcomerTable(rows)}\n`);
    failed ||= rows.some(({ outcome }) => outcome === 'FAILED');
  }
  return failed ? 1 : 0;
});
