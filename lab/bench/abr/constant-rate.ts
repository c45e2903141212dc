import { runExperiment } from '../../sim/pool.js';
import { summarise } from '../../sim/report/summary.js';
import { textTable } from '../../sim/report/text-table.js';
import { readTraces } from '../../sim/link/trace-source.js';
import { RULES, SCENARIO, type Section } from './section.js';

const LINKS = ['constant:10.5', 'step:10.75,10.5@70'];

/** Without loss, as in the player once it fetches again what was lost, and with it. */
const TRANSPORTS = [{ kind: 'flat', latency: SCENARIO.transport.roundTrip }, SCENARIO.transport] as const;

/** Share of perfect segments at a rate just above the top level's, with a buffer of 28 s (thesis §6.6.5). */
export async function constantRate(): Promise<Section> {
  const parts: { link: string; transport: string; rows: ReturnType<typeof summarise> }[] = [];
  for (const link of LINKS) {
    for (const transport of TRANSPORTS) {
      const traces = readTraces(link, SCENARIO.seed);
      const rules = [...RULES, 'optimum'];
      const results = await runExperiment({ ...SCENARIO, traces, transport, rules, buffers: [7], shifts: 1 });
      parts.push({ link, transport: transport.kind, rows: summarise(results, rules[0]!) });
    }
  }
  return {
    title:
      'constant 10.5 Mbit/s and the step from 10.75, buffer of 7 segments (thesis: VOXEL 65 and 80 % perfect, BOLA 0 and 3 %)',
    text: parts.map(({ link, transport, rows }) => `${link}, ${transport}\n${textTable(rows)}`).join('\n\n'),
    data: parts,
    bars: [],
  };
}
