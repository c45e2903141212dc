import { CONSTANTS } from '../../../src/abr-star/index.js';
import { markdownTable } from '../report/markdown-table.js';
import type { Figures, Kept } from './kept.js';
import { BUFFERS } from './report-traces.js';

type ConstantName = keyof typeof CONSTANTS;

/** At most 1. */
const SHARES: readonly ConstantName[] = ['bandwidthSafety', 'progressWeight'];

/** Every constant at half and at one and a half times its value; a share is at most 1. */
export const VARIATIONS = (Object.keys(CONSTANTS) as ConstantName[]).map((name) => {
  const value = CONSTANTS[name];
  const [less, more] = [0.5, 1.5].map((factor) => Number((factor * value).toPrecision(6)));
  return { name, less: less!, more: SHARES.includes(name) ? Math.min(1, more!) : more! };
});

/** The rule's name as `npm run simulate -- --abr` takes it. */
export function variant(name: string, value: number): string {
  return `abr-star:${name}=${value}`;
}

/** What changes with each constant: a line each, of the rule as it is first. Empty where nothing was measured. */
export function constantsTable(lines: readonly Kept[]): string {
  if (lines.length === 0) return 'Not yet measured.';
  const line = (abr: string, bufferSegments: number) =>
    lines.find((kept) => kept.abr === abr && kept.buffer === bufferSegments);
  const own = BUFFERS.map((buffer) => line('abr-star', buffer)!);
  const changes = (abr: string, figure: keyof Figures, scale: number, digits: number) =>
    BUFFERS.map((buffer, index) => {
      const other = line(abr, buffer);
      return other ? signed(scale * (other[figure] - own[index]![figure]), digits) : '–';
    }).join(' / ');
  const header = ['constant', 'value', 'instead', 'bufRatio, points', 'SSIM', 'switches', 'QoE', '`felt`'];
  const absolute = (figure: keyof Figures, scale: number, digits: number) =>
    own.map((kept) => (scale * kept[figure]).toFixed(digits)).join(' / ');
  return markdownTable([
    header,
    [
      'as they are',
      '',
      '',
      absolute('bufRatio', 100, 2),
      absolute('score', 1, 4),
      absolute('switches', 1, 1),
      absolute('qoe', 1, 4),
      absolute('felt', 1, 4),
    ],
    ...VARIATIONS.flatMap(({ name, less, more }) =>
      [less, more].map((value, index) => {
        const abr = variant(name, value);
        return [
          index === 0 ? `\`${name}\`` : '',
          index === 0 ? String(CONSTANTS[name]) : '',
          String(value),
          changes(abr, 'bufRatio', 100, 2),
          changes(abr, 'score', 1, 4),
          changes(abr, 'switches', 1, 1),
          changes(abr, 'qoe', 1, 4),
          changes(abr, 'felt', 1, 4),
        ];
      }),
    ),
  ]);
}

function signed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? '0' : value > 0 ? `+${text}` : text;
}
