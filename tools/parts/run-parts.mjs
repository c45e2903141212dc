// @ts-check
import { availableParallelism } from 'node:os';
import { parseCommandLine } from '../setup/command-line.mjs';
import { say, UserError } from '../setup/process.mjs';
import { Job, nicenessOf, runPart } from './part.mjs';
import { inLanes } from './schedule.mjs';
import { hasFailed, hasPassed, withSecondChances } from './second-chance.mjs';
import { sumLine, tableOf } from './table.mjs';
import { recordUnsteady } from './unsteady.mjs';

/** @typedef {import('./part.mjs').Part} Part */
/** @typedef {import('./part.mjs').Row} Row */

/** More would disturb one another even where there are more cores. What plays has a lane of its own. */
const MOST_LANES = 2;

const PROGRESS_SECONDS = 60;

/**
 * Chooses parts by their names, or by the name of a group. Throws a `UserError` for a name that is neither.
 * @param {readonly Part[]} parts @param {readonly string[]} names all when empty @param {Record<string, readonly string[]>} groups
 * @returns {Part[]}
 */
export function chosenParts(parts, names, groups = {}) {
  const known = [...Object.keys(groups), ...parts.map(({ name }) => name)];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UserError(`--only must be one of ${known.join(', ')}, got '${unknown}'`);
  const chosen = new Set(names.flatMap((name) => groups[name] ?? [name]));
  return parts.filter(({ name }) => chosen.size === 0 || chosen.has(name));
}

/**
 * Runs parts to the end, whatever fails, and failed files of those with a clock once more; prints the output of each when it ends, and a table.
 * @param {readonly Part[]} parts @returns {Promise<number>} exit code: 1 where something failed
 */
export async function runParts(parts) {
  const started = performance.now();
  /** @type {Map<Part, Job>} */
  const running = new Map();
  /** @type {Map<Part, Row>} */
  const rows = new Map();
  /** @type {Map<Part, string>} */
  const outputs = new Map();
  const stop = (/** @type {NodeJS.Signals} */ signal) => {
    for (const job of running.values()) {
      job.stop();
      job.close();
    }
    process.kill(process.pid, signal);
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.once(signal, stop);
  const names = () => [...running.keys()].map(({ name }) => name).join(', ');
  const seconds = () => Math.round((performance.now() - started) / 1000);
  const progress = setInterval(
    () => say(`… ${seconds()} s, ${rows.size} of ${parts.length} parts done, running: ${names()}`),
    PROGRESS_SECONDS * 1000,
  );
  await inLanes(parts, Math.min(MOST_LANES, availableParallelism()), async (part) => {
    const job = new Job(nicenessOf(part));
    running.set(part, job);
    say(`… ${part.name}`);
    const row = await runPart(part, job);
    running.delete(part);
    rows.set(part, row);
    if (row.failed > 0) outputs.set(part, job.output);
    job.close();
    const text = job.output.trimEnd();
    say(
      `\n── ${part.name} ──${text && `\n${text}`}\n── ${part.name}: ${sumLine([row])} in ${Math.round(row.seconds)} s\n`,
    );
  });
  const judged = await withSecondChances(rows, async (part, { file, failures }) => {
    say(`… ${part.name}: ${file} once more`);
    const job = new Job();
    running.set(part, job);
    const counts = await runPart(
      { ...part, run: () => part.again?.(job, file) ?? Promise.reject(new Error('no clock')) },
      job,
    );
    running.delete(part);
    job.close();
    say(`\n── ${part.name}: ${file} once more ──\n${job.output.trimEnd()}\n`);
    if (hasPassed(counts)) {
      const texts = { failures, first: outputs.get(part) ?? '', again: job.output };
      const folder = await recordUnsteady({ part: part.name, file, ...texts });
      say(`${file} is unsteady: test/unsteady.md has a new line, ${folder}/ both outputs`);
    }
    return counts;
  });
  clearInterval(progress);
  const inOrder = parts.flatMap((part) => judged.get(part) ?? []);
  console.log(`\n${tableOf(inOrder)}`);
  return hasFailed(inOrder) ? 1 : 0;
}

/**
 * The command line that `npm test` and `npm run check` share.
 * @param {readonly string[]} args @param {readonly Part[]} parts
 * @param {{ usage: string, groups?: Readonly<Record<string, readonly string[]>>, setUp: () => Promise<unknown> }} settings
 *   `setUp` is what all parts need: its time is no part's, and where it fails each part says so
 * @returns {Promise<number>}
 */
export async function partsCommand(args, parts, { usage, groups, setUp }) {
  const { values } = parseCommandLine({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    const width = Math.max(...parts.map(({ name }) => name.length));
    const lines = parts.map(
      ({ name, about, needs }) => `  ${name.padEnd(width)}  ${about}${needs === undefined ? '' : ` (needs ${needs})`}`,
    );
    console.log(`${usage}\n\nParts:\n${lines.join('\n')}`);
    return 0;
  }
  const names = values.only.flatMap((list) => list.split(','));
  const chosen = chosenParts(parts, names, groups);
  await setUp().catch(() => undefined);
  return runParts(chosen);
}
