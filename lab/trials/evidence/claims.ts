import { FEWEST_SESSIONS } from '../../sim/report/statistics.js';
import { CHAPTERS_4_AND_5 } from './claims/chapters-4-5.js';
import { CHAPTER_6 } from './claims/chapter-6.js';
import { LIVE_CLAIMS } from './claims/live.js';
import { SEVERAL_PATHS } from './claims/several-paths.js';
import { TRANSPORTS } from './claims/transports.js';
import { commandOf, type Matrix } from './kept.js';
import { keptLevels } from './levels.js';
import { tailsBlock } from './tails.js';
import { markdownTable } from '../../sim/report/markdown-table.js';
import type { Claim, Measured } from './claim.js';

/** Sections of docs/EVIDENCE.md by their blocks' names. */
const SECTIONS: Readonly<Record<string, readonly Claim[]>> = {
  'thesis, chapters 4 and 5': CHAPTERS_4_AND_5,
  'thesis, chapter 6': CHAPTER_6,
  'ClipStream and Hollywood': TRANSPORTS,
  'VICTOR, chunklets and Socket Intents': SEVERAL_PATHS,
  'live streams': LIVE_CLAIMS,
};

export const CLAIMS: readonly Claim[] = Object.values(SECTIONS).flat();

/** All claims by what `npm run evidence -- --paper` calls their paper; `live` are goals of our own. */
export const PAPERS: Readonly<Record<string, readonly Claim[]>> = {
  thesis: [...CHAPTERS_4_AND_5, ...CHAPTER_6],
  clipstream: named('ClipStream', TRANSPORTS),
  hollywood: named('Hollywood', TRANSPORTS),
  victor: [...named('VICTOR', SEVERAL_PATHS), ...named('our own goal', SEVERAL_PATHS)],
  chunklets: named('chunklets', SEVERAL_PATHS),
  intents: named('Intents', SEVERAL_PATHS),
  live: LIVE_CLAIMS,
};

function named(paper: string, claims: readonly Claim[]): readonly Claim[] {
  return claims.filter(({ figure }) => figure.startsWith(paper));
}

/** Undefined: there is no such section. */
export function claimsBlock(section: string, matrices: ReadonlyMap<string, Matrix>): string | undefined {
  const claims = SECTIONS[section];
  if (!claims) return undefined;
  const names = [...new Set(claims.flatMap(({ matrix }) => matrix ?? []))];
  const tails = tailsBlock(names.flatMap((name) => matrices.get(name) ?? []));
  return `${claimsTable(claims, matrices)}\n\n${tails}`.trimEnd();
}

/** A row for each claim. */
export function claimsTable(claims: readonly Claim[], matrices: ReadonlyMap<string, Matrix>): string {
  return markdownTable([
    ['figure', 'claim', ...FACTS],
    ...claims.map((claim) => {
      const { theirs, ours, verdict, why, command } = factsOf(claim, matrices);
      return [claim.figure, claim.claim, theirs, ours, verdict, why, `\`${command}\``];
    }),
  ]);
}

/** A claim whose verdict rests on fewer than ten sessions. */
export interface Provisional {
  readonly claim: Claim;
  readonly matrix: Matrix;
  readonly sessions: number;
}

/** Those that say “so far”. */
export function provisional(matrices: ReadonlyMap<string, Matrix>, claims = CLAIMS): Provisional[] {
  return claims.flatMap((claim) => {
    const matrix = claim.matrix === undefined ? undefined : matrices.get(claim.matrix);
    const { sessions = FEWEST_SESSIONS } = measure(claim, matrices) ?? {};
    return matrix && sessions < FEWEST_SESSIONS ? [{ claim, matrix, sessions }] : [];
  });
}

/** The same for a terminal. */
export function claimsText(claims: readonly Claim[], matrices: ReadonlyMap<string, Matrix>): string {
  return claims
    .map((claim) => {
      const facts = factsOf(claim, matrices);
      const lines = FACTS.flatMap((name) => (facts[name] === '' ? [] : [`  ${name.padEnd(9)}${facts[name]}`]));
      return [`${claim.figure}: ${claim.claim}`, ...lines].join('\n');
    })
    .join('\n\n');
}

const FACTS = ['theirs', 'ours', 'verdict', 'why', 'command'] as const;

function factsOf(claim: Claim, matrices: ReadonlyMap<string, Matrix>): Record<(typeof FACTS)[number], string> {
  const measured = measure(claim, matrices);
  return {
    theirs: claim.theirs,
    ours: oursOf(measured),
    verdict: verdictOf(measured),
    why: whyOf(claim, measured),
    command: shownCommand(claim.command),
  };
}

/** How many claims have which verdict, over all sections. */
export function verdictsBlock(matrices: ReadonlyMap<string, Matrix>): string {
  const verdicts = CLAIMS.map((claim) => verdictOf(measure(claim, matrices)));
  const names = ['reproduced', 'beaten', 'not reproduced', 'not yet measured'];
  const count = (verdict: string) => String(verdicts.filter((other) => other === verdict).length);
  return markdownTable([
    ['claims', ...names],
    ['with a verdict', ...names.map(count)],
    ['so far', ...names.map((name) => (name === 'not yet measured' ? '' : count(`so far ${name}`)))],
  ]);
}

function measure(
  { matrix, measured, computed, ofContent }: Claim,
  matrices: ReadonlyMap<string, Matrix>,
): Measured | undefined {
  if (computed) return computed();
  if (ofContent) return ofContent(keptLevels());
  const kept = matrix === undefined ? undefined : matrices.get(matrix);
  return kept && measured?.(kept);
}

const shownCommand = (command: string) =>
  command.startsWith('npm') ? command : commandOf(command).replace(/ --jobs .*/, '');

function oursOf(measured: Measured | undefined): string {
  if (!measured) return '–';
  return measured.sessions === undefined ? measured.ours : `${measured.ours} (n = ${measured.sessions})`;
}

function verdictOf(measured: Measured | undefined): string {
  if (!measured) return 'not yet measured';
  return (measured.sessions ?? FEWEST_SESSIONS) < FEWEST_SESSIONS ? `so far ${measured.verdict}` : measured.verdict;
}

const whyOf = ({ why, outlook }: Claim, measured: Measured | undefined) => (measured ? why : outlook) ?? '';
