import { UserError } from '../../../tools/setup/process.mjs';
import { linesOf } from './rows.js';
import { makeTrace, type Trace } from './trace.js';

/** Traces of a file that others have recorded, and in words what was taken for what. */
export interface FieldTraces {
  readonly traces: readonly Trace[];
  readonly taken: string;
}

/** A layout of the field: which columns are read, by their lower-case names, and what the rate's unit is. */
interface Layout {
  readonly time: string;
  readonly rate: string;
  /** Bit/s of one of the rate's units. */
  readonly unit: number;
  readonly words: string;
  /** Columns whose values tell the streams of a file apart, where it has them. */
  readonly streams: readonly string[];
}

const LAYOUTS: readonly Layout[] = [
  // D. Raca et al., 4G (MMSys 2018) and 5G (MMSys 2020) production dataset: a row each second.
  {
    ...{ time: 'timestamp', rate: 'dl_bitrate', unit: 1000, streams: [] },
    words: 'Timestamp for the time, DL_bitrate for kbit/s',
  },
  // Puffer (F. Yan et al., NSDI 2020), video_sent_DATE.csv: a row for each chunk that was sent, with Linux' tcpi_delivery_rate.
  {
    ...{ time: 'time (ns gmt)', rate: 'delivery_rate', unit: 8, streams: ['session_id', 'index'] },
    words: 'time (ns GMT) for the time, delivery_rate for bytes/s',
  },
];

const STEP = 1;

/** A rate holds over a gap of so many seconds at most: a longer one is a pause of whoever recorded, and is cut out. */
const LONGEST_HOLD = 60;

/** A stream with fewer rows says nothing of a link. */
const FEWEST_ROWS = 10;

/** Milliseconds since 1970 are above, seconds below. */
const MOST_SECONDS = 1e11;

interface Sample {
  /** s, on any clock. */
  readonly time: number;
  /** Bit/s. */
  readonly rate: number;
}

/** Reads a file in a layout of the field; undefined: its header is none of them. Throws a `UserError` that names the line. */
export function parseFieldTraces(name: string, text: string): FieldTraces | undefined {
  const [header = '', ...lines] = linesOf(text);
  const columns = cellsOf(header).map((column) => column.toLowerCase());
  const layout = LAYOUTS.find(({ time, rate }) => columns.includes(time) && columns.includes(rate));
  if (!layout) return undefined;
  const streams = new Map<string, Sample[]>();
  let unknown = 0;
  lines.forEach((line, index) => {
    const cells = cellsOf(line);
    const cell = (column: string) => cells[columns.indexOf(column)] ?? '';
    if (/^(-|nan|null)?$/i.test(cell(layout.rate))) return unknown++;
    const place = `${name}:${index + 2}`;
    const sample = { time: timeOf(cell(layout.time), place), rate: rateOf(cell(layout.rate), place) * layout.unit };
    const stream = layout.streams.map(cell).join('-');
    return streams.get(stream)?.push(sample) ?? streams.set(stream, [sample]);
  });
  const all = [...streams].map(([stream, samples]) => ({ stream, samples }));
  const used = all.filter(({ samples }) => samples.length >= FEWEST_ROWS && samples.some(({ rate }) => rate > 0));
  if (used.length === 0) throw new UserError(`${name}: no stream has ${FEWEST_ROWS} rows with a rate`);
  let pauses = 0;
  const traces = used.map(({ stream, samples }) => {
    const resampled = resample(samples);
    pauses += resampled.pauses;
    return makeTrace(stream === '' ? name : `${name}/${stream}`, STEP, resampled.rates);
  });
  const parts = [
    `${name}: took ${layout.words}`,
    ...(layout.streams.length > 0 ? [`a trace for each of ${used.length} streams`] : []),
    `means of a second, held where a second has none`,
    ...(all.length > used.length
      ? [`left out ${all.length - used.length} streams of fewer than ${FEWEST_ROWS} rows`]
      : []),
    ...(unknown > 0 ? [`left out ${unknown} rows without a rate`] : []),
    ...(pauses > 0 ? [`cut out ${pauses} pauses of over ${LONGEST_HOLD} s`] : []),
    'a rate is what was reached, which the link may have exceeded',
  ];
  return { traces, taken: parts.join('; ') };
}

function cellsOf(line: string): string[] {
  return line.split(',').map((cell) => cell.trim().replaceAll(/^"|"$/g, ''));
}

/** s. `2019.12.14_10.16.30`, ISO 8601, or a number: seconds, milliseconds or nanoseconds. */
function timeOf(text: string, place: string): number {
  const [, date, hour, minute, second] = /^([\d.]{10})_(\d\d)\.(\d\d)\.(\d\d)$/.exec(text) ?? [];
  const number = Number(text);
  const time =
    date !== undefined
      ? Date.parse(`${date.replaceAll('.', '-')}T${hour}:${minute}:${second}Z`) / 1000
      : text === '' || Number.isNaN(number)
        ? Date.parse(text) / 1000
        : number / (number > MOST_SECONDS * 1e6 ? 1e9 : number > MOST_SECONDS ? 1e3 : 1);
  if (!Number.isFinite(time)) throw new UserError(`${place}: not a time: '${text}'`);
  return time;
}

function rateOf(text: string, place: string): number {
  const rate = Number(text);
  if (!(rate >= 0 && rate <= 1e12)) throw new UserError(`${place}: not a rate: '${text}'`);
  return rate;
}

/** Rates of every second from the first sample on, pauses cut out. */
function resample(samples: readonly Sample[]): { readonly rates: readonly number[]; readonly pauses: number } {
  const sorted = [...samples].sort((a, b) => a.time - b.time);
  const slots: number[][] = [];
  let pauses = 0;
  let offset = sorted[0]!.time;
  for (const { time, rate } of sorted) {
    const gap = time - offset - slots.length * STEP;
    if (gap > LONGEST_HOLD) {
      pauses++;
      offset += gap;
    }
    const slot = Math.max(0, Math.floor((time - offset) / STEP));
    while (slots.length <= slot) slots.push([]);
    slots[slot]!.push(rate);
  }
  let held = 0;
  const rates = slots.map((values) => {
    if (values.length > 0) held = values.reduce((sum, value) => sum + value, 0) / values.length;
    return held;
  });
  return { rates, pauses };
}
