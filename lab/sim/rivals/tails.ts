import { groupBy } from '../report/group-by.js';
import { markdownTable } from '../report/markdown-table.js';
import { slideShowBeside, slideShowMark } from '../report/slide-show.js';
import { TAIL_COLUMNS } from '../report/tail-columns.js';
import { isLongWait, tailsOf, type TailSession } from '../report/tails.js';
import { intervalText, mean, meanOfWorst, pairedDifference } from '../report/statistics.js';
import type { Kept } from './kept.js';
import { WHOLE } from './starts.js';

/** dash.js' own rule. */
export const STOCK = 'dynamic';

const OURS = 'abr-star';
const RULES = [OURS, STOCK, ...WHOLE];
const BUFFERS = [1, 7];

/** A session of the setting lasts as long without waiting, in seconds: 75 segments of 4. */
const PLAYED = 300;

/** Tables of docs/results/simulated/README.md: the sessions in which viewers wait longest, by the kind of link. */
export function tailsTables(all: readonly Kept[]): string {
  const lines = all.filter(({ waits, abr, buffer }) => waits && RULES.includes(abr) && BUFFERS.includes(buffer));
  if (!lines.some(({ abr }) => abr === STOCK)) return 'Not yet measured.';
  const kinds = groupBy(lines, ({ trace }) => kindOf(trace!));
  return [
    'Mean of the worst 5 % of sessions, seconds waited, buffer of 1 segment / of 7:',
    kindsTable(kinds, meanOfWorst, 1),
    'Sessions that wait for more than 5 % of their time, %:',
    kindsTable(kinds, (waits) => 100 * mean(waits.map((waited) => (isLong(waited) ? 1 : 0))), 1),
    `\`${OURS}\` less each over all links, paired, with 95 % intervals (traces drawn again):`,
    differencesTable(lines),
    'All links together, with 95 % intervals; “≤” and “–”: lines that were kept before sessions said so.',
    overallTable(lines),
  ].join('\n\n');
}

const isLong = (waited: number) => isLongWait(waited / (PLAYED + waited));

/** A generator's name, or the folder of a recording. */
function kindOf(trace: string): string {
  const [folder, name] = trace.split('/');
  return /^\d+$/.test(name!) ? folder!.replace(/-\d+$/, '') : folder!;
}

function kindsTable(
  kinds: ReadonlyMap<string, readonly Kept[]>,
  statistic: (waits: readonly number[]) => number,
  digits: number,
): string {
  const cell = (lines: readonly Kept[], rule: string) =>
    BUFFERS.map((buffer) => statistic(waitsOf(lines, rule, buffer)).toFixed(digits)).join(' / ');
  return markdownTable([
    ['links', 'n', ...RULES.map((rule) => `\`${rule}\``)],
    ...[...kinds].map(([kind, lines]) => [
      kind,
      String(waitsOf(lines, OURS, BUFFERS[0]!).length),
      ...RULES.map((rule) => cell(lines, rule)),
    ]),
  ]);
}

function differencesTable(lines: readonly Kept[]): string {
  const rivals = RULES.filter((rule) => rule !== OURS);
  const rows = BUFFERS.flatMap((buffer) => [
    [`worst 5 %, s, ${named(buffer)}`, ...rivals.map((rival) => difference(lines, rival, buffer, 'worst', 1))],
    [`over 5 %, points, ${named(buffer)}`, ...rivals.map((rival) => difference(lines, rival, buffer, 'mean', 100))],
  ]);
  return markdownTable([['Δ', ...rivals.map((rule) => `\`${rule}\``)], ...rows]);
}

/** A line for each rule and buffer over all links, with what its sessions say of pictures. */
function overallTable(lines: readonly Kept[]): string {
  const rows = BUFFERS.flatMap((buffer) => {
    const played = RULES.filter((rule) => select(lines, rule, buffer).length > 0);
    const rules = played.map((rule) => watched(rule, select(lines, rule, buffer)));
    return rules.map(({ label, score, tails }) => [
      ...[String(buffer), label, String(tails.sessions)],
      ...TAIL_COLUMNS.map(({ format }) => format(tails)),
      `${score.toFixed(4)}${slideShowMark(slideShowBeside({ label, score, tails }, rules))}`,
    ]);
  });
  return markdownTable([['buffer', 'rule', 'n', ...TAIL_COLUMNS.map(({ title }) => title), 'SSIM'], ...rows]);
}

function watched(rule: string, lines: readonly Kept[]) {
  const sessions = lines.flatMap(({ trace, waits, startups, longest, stills, pictures }) =>
    waits!.map((waited, start): TailSession => ({
      ...{ trace: trace!, waited, waitsLong: isLong(waited), stalled: waited - (startups?.[start] ?? 0) },
      ...{ longestStall: longest?.[start] ?? null, longestStill: stills?.[start] ?? null },
      picturesPerSecond: pictures?.[start] ?? null,
    })),
  );
  const score = mean(lines.flatMap(({ score, sessions: count }) => Array.from({ length: count }, () => score)));
  return { label: `\`${rule}\``, score, tails: tailsOf(sessions) };
}

const named = (segments: number) => `${segments} segment${segments > 1 ? 's' : ''}`;

function difference(
  lines: readonly Kept[],
  rival: string,
  buffer: number,
  statistic: 'worst' | 'mean',
  scale: number,
): string {
  const theirs = new Map(select(lines, rival, buffer).map(({ trace, waits }) => [trace, waits!]));
  const value = (waited: number) => (statistic === 'worst' ? waited : Number(isLong(waited)));
  const pairs = select(lines, OURS, buffer).flatMap(({ trace, waits }) =>
    waits!.flatMap((ours, start) => {
      const other = theirs.get(trace)?.[start];
      return other === undefined ? [] : [{ trace: trace!, ours: value(ours), theirs: value(other) }];
    }),
  );
  return intervalText(pairedDifference(pairs, statistic), 1, scale);
}

function waitsOf(lines: readonly Kept[], rule: string, buffer: number): number[] {
  return select(lines, rule, buffer).flatMap(({ waits }) => [...waits!]);
}

function select(lines: readonly Kept[], rule: string, bufferSegments: number): readonly Kept[] {
  return lines.filter(({ abr, buffer }) => abr === rule && buffer === bufferSegments);
}
