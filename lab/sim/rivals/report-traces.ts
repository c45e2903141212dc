import { atLeast, atMost, type Bar } from '../report/bar.js';
import { markdownTable } from '../report/markdown-table.js';
import { groupBy } from '../report/group-by.js';
import { intervalText, mean, pairedDifference, type Difference } from '../report/statistics.js';
import type { Figures, Kept } from './kept.js';

/** What is published of SODA, RobustMPC, BBA and a Fugu-like rule. */
export const RIVALS = ['soda', 'mpc', 'bba', 'fugu'] as const;

/** The rule, and its planning apart from its dropping. */
export const OURS = ['abr-star', 'abr-star@whole'] as const;

const RULES: readonly string[] = [...OURS, ...RIVALS];

export const BUFFERS = [1, 7] as const;

/** Most switches over SODA's. */
const SWITCHES_OVER_SODA = 1.1;

interface Lead {
  readonly title: string;
  readonly figure: keyof Figures;
  /** -1: less is better. */
  readonly sign: 1 | -1;
  readonly scale: number;
  readonly digits: number;
}

/** What the rule must lead in. */
const LEADS: readonly Lead[] = [
  { title: '`felt`', figure: 'felt', sign: 1, scale: 1, digits: 4 },
  { title: "SODA's measure", figure: 'soda', sign: 1, scale: 1, digits: 3 },
  { title: 'bufRatio, points', figure: 'bufRatio', sign: -1, scale: 100, digits: 2 },
  { title: 'QoE', figure: 'qoe', sign: 1, scale: 1, digits: 4 },
];

/** Tables of docs/results/simulated/README.md. */
export function rivalsTables(all: readonly Kept[]): string {
  const lines = all.filter(({ abr, buffer }) => RULES.includes(abr) && (BUFFERS as readonly number[]).includes(buffer));
  if (lines.length === 0) return 'Not yet measured.';
  const sessions = lines.reduce((sum, line) => sum + line.sessions, 0);
  const traces = new Set(lines.map(({ trace }) => trace)).size;
  return [
    `${sessions} sessions on ${traces} traces.`,
    meansTable(lines),
    ...OURS.map((ours) => leadsTable(lines, ours)),
  ].join('\n\n');
}

/** Every demand on those figures. */
export function rivalsBars(lines: readonly Kept[]): Bar[] {
  return BUFFERS.flatMap((buffer) => {
    const of = (rule: string, figure: keyof Figures) => mean(select(lines, rule, buffer).map((line) => line[figure]));
    return [
      ...OURS.flatMap((ours) =>
        RIVALS.flatMap((rival) => LEADS.map((lead) => leadBar(lines, { ours, rival, buffer, lead }))),
      ),
      atMost(
        `${buffer} segment(s): switches over SODA's`,
        of('abr-star', 'switches') / of('soda', 'switches'),
        SWITCHES_OVER_SODA,
      ),
    ];
  });
}

function meansTable(lines: readonly Kept[]): string {
  const both = (rule: string, figure: keyof Figures, scale: number, digits: number) =>
    BUFFERS.map((buffer) =>
      (scale * mean(select(lines, rule, buffer).map((line) => line[figure]))).toFixed(digits),
    ).join(' / ');
  const header = ['rule', 'mean bufRatio %', 'start-up s', 'mean SSIM', 'switches', 'QoE', '`felt`', '`soda`'];
  return markdownTable([
    header,
    ...[...OURS, ...RIVALS].map((rule) => [
      `\`${rule}\``,
      both(rule, 'bufRatio', 100, 2),
      both(rule, 'startup', 1, 2),
      both(rule, 'score', 1, 4),
      both(rule, 'switches', 1, 1),
      both(rule, 'qoe', 1, 4),
      both(rule, 'felt', 1, 4),
      both(rule, 'soda', 1, 3),
    ]),
  ]);
}

function leadsTable(lines: readonly Kept[], ours: string): string {
  const rows = LEADS.flatMap((lead) =>
    BUFFERS.map((buffer) => [
      `${lead.title}, ${buffer} segment${buffer > 1 ? 's' : ''}`,
      ...RIVALS.map((rival) => intervalText(leadOver(lines, { ours, rival, buffer, lead }), lead.digits, lead.scale)),
    ]),
  );
  return markdownTable([[`lead of \`${ours}\` over`, ...RIVALS.map((rival) => `\`${rival}\``)], ...rows]);
}

interface Pairing {
  readonly ours: string;
  readonly rival: string;
  readonly buffer: number;
  readonly lead: Lead;
}

/** Ours less theirs, traces drawn again: each counts once, whatever its starts. */
function leadOver(lines: readonly Kept[], { ours, rival, buffer, lead: { figure } }: Pairing): Difference {
  const theirs = groupBy(select(lines, rival, buffer), ({ trace }) => trace!);
  return pairedDifference(
    select(lines, ours, buffer).map((line) => ({
      trace: line.trace!,
      ours: line[figure],
      theirs: theirs.get(line.trace!)![0]![figure],
    })),
  );
}

function leadBar(lines: readonly Kept[], pairing: Pairing): Bar {
  const { ours, rival, buffer, lead } = pairing;
  const { value, bounds } = leadOver(lines, pairing);
  const certain = lead.sign > 0 ? bounds?.low : bounds?.high;
  return atLeast(`${ours} before ${rival}, ${buffer} segment(s), ${lead.figure}`, lead.sign * (certain ?? value), 0);
}

function select(lines: readonly Kept[], rule: string, bufferSegments: number): readonly Kept[] {
  return lines.filter(({ abr, buffer }) => abr === rule && buffer === bufferSegments);
}
