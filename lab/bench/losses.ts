import { UserError } from '../../tools/setup/process.mjs';
import { runExperiment } from '../sim/pool.js';
import { BROWSER_PLAYER } from '../sim/player-model.js';
import { progressLine } from '../sim/report/progress-line.js';
import { SCENARIO } from './abr/section.js';
import { cellOf, isOf, keepCells, keptCells, type Cell, type CellName } from '../sim/losses/kept.js';
import { KEPT_OUT_SET, lossSet, SETS } from '../sim/losses/sets.js';
import { BUFFERS, CARRIERS, CONTROLS, ruleName, RULES, setTables, verdictsTables } from '../sim/losses/tables.js';

export const usage = `npm run bench -- losses [--set NAME]… [--quick]: streams, datagrams, and datagrams with parity over links whose rates, delays and losses
were recorded, simulated: abr-star and dash.js' Dynamic, BOLA and SODA, CUBIC and BBRv2, buffers of 1 and 3 segments; paired differences with
95 % intervals. Sets: ${SETS.join(', ')}; and ${KEPT_OUT_SET}, which nothing was chosen by (--set alone plays it). What is played is
kept in docs/results/real-losses, and not played again: a run that was cut off goes on there. --quick: four sessions a cell, nothing kept.
Needs ../shared (npm run data). Minutes of a core.`;

export const options = {
  set: { type: 'string', multiple: true, default: [] },
  quick: { type: 'boolean', default: false },
} as const;

const QUICK_TRACES = 4;

/** Measures what is not kept, and prints. */
export async function main({ set: named, quick }: { set: readonly string[]; quick: boolean }): Promise<void> {
  const known = [...SETS, KEPT_OUT_SET];
  const unknown = named.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UserError(`--set must be one of ${known.join(', ')}, got '${unknown}'`);
  const sets = named.length > 0 ? named : SETS;
  const cells: Cell[] = quick ? [] : [...keptCells()];
  for (const set of sets)
    for (const control of CONTROLS) {
      const fresh = await played(set, control, cells, quick);
      if (!quick) keepCells(fresh);
      cells.push(...fresh);
    }
  console.log([...sets.map((set) => setTables(cells, set)), verdictsTables(cells, sets)].join('\n\n'));
}

/** The cells of a set and a control that are not known yet. */
async function played(
  name: string,
  control: (typeof CONTROLS)[number],
  known: readonly Cell[],
  quick: boolean,
): Promise<Cell[]> {
  const rules = RULES.flatMap((rule) =>
    (Object.keys(CARRIERS) as (keyof typeof CARRIERS)[]).map((carrier) => ruleName(rule, carrier)),
  );
  const cellNames = rules.flatMap((rule) => BUFFERS.map((buffer): CellName => ({ set: name, control, rule, buffer })));
  const missing = cellNames.filter((cell) => !known.some(isOf(cell)));
  if (missing.length === 0) return [];
  const set = lossSet(name);
  const traces = quick ? set.traces.slice(0, QUICK_TRACES) : set.traces;
  const results = await runExperiment(
    {
      ...SCENARIO,
      ...{ traces, shifts: quick ? Math.ceil(QUICK_TRACES / traces.length) : set.shifts },
      ...{ rules: [...new Set(missing.map(({ rule }) => rule))], buffers: BUFFERS },
      transport: { kind: 'quic', ...set.path, control, server: 'quiche' },
      player: BROWSER_PLAYER,
    },
    { onProgress: progressLine(`${name}, ${control}`) },
  );
  return missing.map((cell) =>
    cellOf(
      cell,
      results.filter(({ abr, buffer }) => abr === cell.rule && buffer === cell.buffer),
    ),
  );
}
