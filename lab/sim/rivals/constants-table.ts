import { CONSTANTS, LOOKAHEAD } from '../../../src/abr-star/index.js';
import { markdownTable } from '../report/markdown-table.js';
import { BOUNDED, type KeptConstant } from './kept.js';
import { BUFFERS } from './report-traces.js';

type ConstantName = keyof typeof CONSTANTS;

/** The most that some can be: shares, and a plan over all the segments that are known. */
const MOST: Partial<Record<ConstantName, number>> = { bandwidthSafety: 1, progressWeight: 1, horizon: LOOKAHEAD - 1 };

/** Every constant at half its value and at twice, or the most that it can be. */
export const VARIATIONS = (Object.keys(CONSTANTS) as ConstantName[]).map((name) => {
  const value = CONSTANTS[name];
  const [less, more] = [0.5, 2].map((factor) =>
    Math.min(MOST[name] ?? Infinity, Number((factor * value).toPrecision(6))),
  );
  return { name, less: less!, more: more! };
});

/** A figure of the table: its column, scale and digits. */
interface Column {
  readonly title: string;
  readonly figure: 'waited' | 'worst' | 'score' | 'switches' | 'qoe' | 'felt';
  readonly digits: number;
}

const COLUMNS: readonly Column[] = [
  { title: 'waited s', figure: 'waited', digits: 2 },
  { title: 'worst 5 %, s', figure: 'worst', digits: 1 },
  { title: 'SSIM', figure: 'score', digits: 4 },
  { title: 'switches', figure: 'switches', digits: 1 },
  { title: 'QoE', figure: 'qoe', digits: 4 },
  { title: '`felt`', figure: 'felt', digits: 4 },
];

/** The rule's name as `npm run simulate -- --abr` takes it. */
export function variant(name: string, value: number): string {
  return `abr-star:${name}=${value}`;
}

/**
 * What changes with each constant: a line each, of the rule as it is first. Bold: bounds clear of zero, where a figure has any. Empty where
 * nothing was measured.
 */
export function constantsTable(lines: readonly KeptConstant[]): string {
  if (lines.length === 0) return 'Not yet measured.';
  const line = (abr: string, bufferSegments: number) =>
    lines.find((kept) => kept.abr === abr && kept.buffer === bufferSegments);
  const own = BUFFERS.map((buffer) => line('abr-star', buffer)!);
  const changes = (abr: string, column: Column) =>
    BUFFERS.map((buffer, index) => {
      const other = line(abr, buffer);
      return other ? change(other, own[index]!, column) : '–';
    }).join(' / ');
  return markdownTable([
    ['constant', 'value', 'instead', ...COLUMNS.map(({ title }) => title)],
    [
      ...['as they are', '', ''],
      ...COLUMNS.map(({ figure, digits }) => own.map((kept) => kept[figure].toFixed(digits)).join(' / ')),
    ],
    ...VARIATIONS.flatMap(({ name, less, more }) =>
      [less, more].map((value, index) => [
        index === 0 ? `\`${name}\`` : '',
        index === 0 ? String(CONSTANTS[name]) : '',
        String(value),
        ...COLUMNS.map((column) => changes(variant(name, value), column)),
      ]),
    ),
  ]);
}

function change(other: KeptConstant, own: KeptConstant, { figure, digits }: Column): string {
  const text = signed(other[figure] - own[figure], digits);
  const bounded = BOUNDED.find((name) => name === figure);
  const [low, high] = (bounded && other.bounds?.[bounded]) ?? [0, 0];
  return text !== '0' && (low > 0 || high < 0) ? `**${text}**` : text;
}

function signed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? '0' : value > 0 ? `+${text}` : text;
}
