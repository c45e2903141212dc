import type { LivePlayback } from './report.js';
import type { SegmentSource } from './segment-source.js';

/** One reading of a playback; undefined: not known. */
export interface Sample {
  /** Since the page began, s. */
  readonly time: number;
  /** Video in the buffer, s. */
  readonly buffer: number | undefined;
  /** Estimate, bit/s. */
  readonly throughput: number | undefined;
  /** The chosen representation's, bit/s. */
  readonly bitrate: number | undefined;
  /** Position of the chosen representation in the ladder, 0 = lowest. */
  readonly level: number | undefined;
  /**
   * Share of the chosen representation's virtual levels: 0 = reliable bytes only, 1 = the whole segment;
   * undefined where there are none to choose from.
   */
  readonly virtualLevel: number | undefined;
  /** How far behind the capture a live stream plays, and should, s. */
  readonly latency: number | undefined;
  readonly latencyTarget: number | undefined;
}

/** Reads `source` now; `ladder`: `Representation@id`s, lowest bitrate first. */
export function takeSample(
  time: number,
  source: SegmentSource,
  ladder: readonly string[],
  live?: Pick<LivePlayback, 'latency' | 'target'>,
): Sample {
  const choice = source.choice();
  const level = choice ? ladder.indexOf(choice.representation) : -1;
  return {
    time,
    buffer: source.buffer(),
    throughput: source.throughput(),
    bitrate: choice?.bandwidth,
    level: level < 0 ? undefined : level,
    virtualLevel: choice && choice.levels > 1 ? choice.level / (choice.levels - 1) : undefined,
    latency: live?.latency,
    latencyTarget: live?.target,
  };
}

export type SampleField = keyof Sample;
/** One array per field, oldest first, as charts want them; null: not known. */
export type Columns = Readonly<Record<Exclude<SampleField, 'time'>, (number | null)[]>> & { readonly time: number[] };

/** The latest samples of a playback, by columns. */
export class TimeSeries {
  readonly columns: Columns = {
    ...{ time: [], buffer: [], throughput: [], bitrate: [], level: [], virtualLevel: [] },
    ...{ latency: [], latencyTarget: [] },
  };
  readonly #capacity: number;

  /** Keeps `capacity` samples and forgets the oldest. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(sample: Sample): void {
    const { time, ...values } = this.columns;
    time.push(sample.time);
    for (const [field, column] of Object.entries(values)) column.push(sample[field as SampleField] ?? null);
    if (time.length > this.#capacity) for (const column of Object.values(this.columns)) column.shift();
  }
}
