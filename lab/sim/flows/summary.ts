import { MOST_CONNECTIONS } from '../../strategies/connections.js';
import { aligned } from '../report/text-table.js';
import { RIVALS, type Cell, type Collision, type Fairness, type StagedRow } from './figures.js';
import { QUEUES, type QueueName, type RuleName } from './experiment.js';

/** All that the command has found. */
export interface FlowsResults {
  readonly figure4: readonly Cell[];
  readonly figure12: readonly StagedRow[];
  readonly collisions: readonly Collision[];
  readonly fairness: readonly Fairness[];
}

/** A headline of the paper, or of the project's own, beside what was found. */
export interface Headline {
  readonly figure: string;
  readonly claim: string;
  readonly theirs: string;
  readonly ours: string;
  readonly verdict: 'reproduced' | 'beaten' | 'not reproduced';
  readonly why: string;
}

const TOP = 4.3e6;
const mbps = (rate: number) => (rate / 1e6).toFixed(2);
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const verdict = (holds: boolean) => (holds ? 'reproduced' : 'not reproduced');

export function headlines(results: FlowsResults): Headline[] {
  return [...ofFigure4(results), ...ofFigure12(results), collisionCost(results), ofOneConnection(results)];
}

function ofFigure4({ figure4 }: FlowsResults): Headline[] {
  const at = (queue: QueueName, flows: number, rivals = 10) =>
    figure4.find((cell) => cell.queue === queue && cell.flows === flows && cell.rivals === rivals)!;
  const [one, eight] = [at('FQ-CoDel', 1), at('FQ-CoDel', 8)];
  const single = [at('FIFO', 10), at('PIE', 10)];
  return [
    {
      figure: '4b',
      claim: 'beside 10 flows under FQ-CoDel 8 connections have the top level, 1 has not',
      theirs: '4.30 with 8',
      ours: `${mbps(eight.bitrate)} with 8, ${mbps(one.bitrate)} with 1 Mbit/s`,
      verdict: verdict(eight.bitrate === TOP && one.bitrate < TOP),
      why: 'Each connection has a queue of its own, and queues are served in turn.',
    },
    {
      figure: '4b',
      claim: 'under FIFO and PIE not even 10 have it',
      theirs: '< 4.30',
      ours: `FIFO ${mbps(single[0]!.bitrate)}, PIE ${mbps(single[1]!.bitrate)} Mbit/s`,
      verdict: verdict(single.every(({ bitrate }) => bitrate < TOP)),
      why: 'In a full queue that all share, connections that pause lose to those that do not.',
    },
    {
      figure: '6',
      claim:
        'what 8 connections take is missing elsewhere: 10 bulk flows have M / (M + N) of the link and what pauses leave',
      theirs: '≥ 55.6 %',
      ours: `${percent(eight.bulkRate / 12e6)} beside 8, ${percent(one.bulkRate / 12e6)} beside 1`,
      verdict: verdict(eight.bulkRate < one.bulkRate && eight.bulkRate >= 0.95 * (10 / 18) * 12e6),
      why: 'Headers are not counted.',
    },
  ];
}

function ofFigure12({ figure12 }: FlowsResults): Headline[] {
  const of = (rule: RuleName) => figure12.find((row) => row.rule === rule && row.queue === 'FQ-CoDel')!;
  const [fixed, adaptive, voxel] = [of('fixed 10'), of('adaptive'), of('voxel')];
  const [fewer, less] = [1 - adaptive.flows / fixed.flows, 1 - adaptive.rate / fixed.rate];
  const ownFewer = 1 - voxel.flows / adaptive.flows;
  const settled = Math.max(...voxel.settled);
  return [
    {
      figure: '12',
      claim: 'adaptive chunklets have fewer connections than 10, and take less bandwidth',
      theirs: '−30 %, −8 %',
      ours: `−${percent(fewer)}, −${percent(less)} at ${mbps(adaptive.bitrate)} Mbit/s`,
      verdict: fewer >= 0.3 ? 'beaten' : verdict(fewer >= 0.25),
      why: 'It begins with 1, and at the top level adds none while the rate suffices; the paper says neither.',
    },
    {
      figure: '12',
      claim: 'two probes: at least 25 % fewer than adaptive at .99 of the top score',
      theirs: '–',
      ours: `−${percent(ownFewer)}, ${voxel.scoreShare.toFixed(4)} of the top score (adaptive ${adaptive.scoreShare.toFixed(4)})`,
      verdict: verdict(ownFewer >= 0.25 && voxel.scoreShare >= 0.99),
      why: 'The rate of a score is wanted, not that of the highest level.',
    },
    {
      figure: '12',
      claim: '… settled within 3 segments of an arrival',
      theirs: '–',
      ours: `at most ${settled} (adaptive ${Math.max(...adaptive.settled)})`,
      verdict: verdict(settled <= 3),
      why: 'Every segment says how many rivals there are.',
    },
  ];
}

function collisionCost({ collisions }: FlowsResults): Headline {
  const [dealt, equal] = collisions as [Collision, Collision];
  return {
    figure: '13',
    claim: `a queue shared with a bulk flow costs no more than 1/N of the rate (N = ${dealt.flows}, M = ${dealt.rivals})`,
    theirs: 'figure without numbers',
    ours: `${percent(dealt.cost)} dealt out, ${percent(equal.cost)} in equal parts`,
    verdict: verdict(dealt.cost <= 1 / dealt.flows),
    why: 'Blocks go to whoever is free; of equal parts the slowest decides.',
  };
}

function ofOneConnection({ fairness }: FlowsResults): Headline {
  const least = fairness.reduce((worst, one) => (one.kept < worst.kept ? one : worst));
  return {
    figure: '6',
    claim: 'beside one connection bulk flows keep 95 % of what they keep beside one of TCP',
    theirs: '–',
    ours: `at least ${percent(least.kept)} (${least.queue}, M = ${least.rivals})`,
    verdict: verdict(least.kept >= 0.95),
    why: 'Both are CUBIC; ours keeps its window over pauses.',
  };
}

/** For a terminal: the headlines, then the figures. */
export function tables(results: FlowsResults): string {
  const head = ['figure', 'claim', 'theirs', 'ours', 'verdict', 'why'];
  const rows = headlines(results).map((row) => [row.figure, row.claim, row.theirs, row.ours, row.verdict, row.why]);
  const parts = [
    aligned([head, ...rows], [0, 1, 2, 3, 4, 5]),
    'Median bitrate of the segments / median rate / bulk flows together, Mbit/s',
    figure4Table(results.figure4),
    'Ten bulk flows that come and go (Fig. 12), means over all segments',
    figure12Table(results.figure12),
    'Rate of bulk flows beside one connection of ours over that beside one of TCP',
    fairnessTable(results.fairness),
  ];
  return parts.join('\n\n');
}

function figure4Table(cells: readonly Cell[]): string {
  const lines = Object.keys(QUEUES).flatMap((queue) =>
    Array.from({ length: MOST_CONNECTIONS }, (_, index) => {
      const own = cells.filter((cell) => cell.queue === queue && cell.flows === index + 1);
      const shown = own.map(({ bitrate, rate, bulkRate }) => [bitrate, rate, bulkRate].map(mbps).join(' / '));
      return [queue, String(index + 1), ...shown];
    }),
  );
  return aligned([['queue', 'N', ...RIVALS.map((rivals) => `M = ${rivals}`)], ...lines], [0]);
}

function figure12Table(rows: readonly StagedRow[]): string {
  const head = [
    'queue',
    'rule',
    'connections',
    'rate',
    'bitrate',
    'score',
    'stalled, s',
    'bulk flows',
    'settled, segments',
  ];
  const lines = rows.map(({ queue, rule, settled, ...row }) => [
    ...[queue, rule, row.flows.toFixed(2), mbps(row.rate), mbps(row.bitrate), row.score.toFixed(4)],
    ...[row.stalled.toFixed(1), mbps(row.bulkRate), settled.join(' ')],
  ]);
  return aligned([head, ...lines], [0, 1, 8]);
}

function fairnessTable(rows: readonly Fairness[]): string {
  const lines = Object.keys(QUEUES).map((queue) => [
    queue,
    ...rows.filter((row) => row.queue === queue).map(({ kept }) => percent(kept)),
  ]);
  return aligned([['queue', ...RIVALS.map((rivals) => `M = ${rivals}`)], ...lines], [0]);
}
