import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';
import { UserError } from '../../../tools/setup/process.mjs';
import { readConditions, readTraces } from '../link/trace-source.js';
import { underRecord, type Trace } from '../link/trace.js';
import type { QuicPath } from '../link/quic-transport.js';

/** Links as they are: recorded rates, with recorded delays and losses where there are some. */
export interface LossSet {
  readonly name: string;
  readonly about: string;
  readonly path: Pick<QuicPath, 'roundTrip' | 'queuePackets' | 'loss' | 'meanBurst'>;
  readonly traces: readonly Trace[];
  /** Starts in each trace. */
  readonly shifts: number;
}

/** Recordings do not come with the project: `npm run data`. */
const RECORDINGS = join(root, '../shared/data/traces');

/** What bottlenecks of access links hold: a tenth of a second at 15 Mbit/s. */
const QUEUE_PACKETS = 128;

type Source = Omit<LossSet, 'traces'> & { readonly of: () => Trace[] };

const SOURCES: readonly Source[] = [
  {
    name: 'satellite',
    about:
      'LTE and 3G links of the thesis under 14 hours of delays and losses of a Starlink terminal at sea (FjordLink)',
    path: { roundTrip: 0.03, queuePackets: QUEUE_PACKETS, loss: 0 },
    shifts: 8,
    of: () => underRecord(traces('voxel'), readConditions(folder('fjordlink'), 1)),
  },
  {
    name: 'drive',
    about: 'two mobile networks on a drive of three days, rates, delays and losses (handovers: half a second and more)',
    path: { roundTrip: 0.01, queuePackets: QUEUE_PACKETS, loss: 0 },
    shifts: 30,
    of: () => ['att', 'verizon'].map(driven),
  },
  {
    name: 'wifi',
    about: 'an office’s Wi-Fi, as recorded; losses are assumed: .5 % in bursts of 8 packets on average',
    path: { roundTrip: 0.02, queuePackets: QUEUE_PACKETS, loss: 0.005, meanBurst: 8 },
    shifts: 2,
    of: () => traces('solis-wifi'),
  },
  {
    name: 'moving-3g',
    about: '3G on trams, trains, buses and boats, as recorded; only the queue loses anything',
    path: { roundTrip: 0.06, queuePackets: QUEUE_PACKETS, loss: 0 },
    shifts: 1,
    of: () => traces('norway-3g').filter((_, index) => index % 2 === 0),
  },
];

/** What nothing was chosen by: it is played last. */
const KEPT_OUT: Source = {
  name: 'driven-satellite',
  about: 'a Starlink terminal on the same drive, rates, delays and losses',
  path: { roundTrip: 0.01, queuePackets: QUEUE_PACKETS, loss: 0 },
  shifts: 30,
  of: () => [driven('starlink')],
};

export const SETS: readonly string[] = SOURCES.map(({ name }) => name);
export const KEPT_OUT_SET = KEPT_OUT.name;

/** The set with a name, its recordings read. Throws a `UserError` where they are not there. */
export function lossSet(name: string): LossSet {
  const { of, ...set } = [...SOURCES, KEPT_OUT].find((source) => source.name === name)!;
  return { ...set, traces: of() };
}

/** What a table says of a set. */
export function aboutSet(name: string): string {
  return [...SOURCES, KEPT_OUT].find((source) => source.name === name)!.about;
}

function driven(name: string): Trace {
  const [trace] = readTraces(join(folder('maine-drive'), `${name}.csv`), 1);
  return underRecord([trace!], readConditions(join(folder('maine-drive-pings'), `${name}.csv`), 1))[0]!;
}

const traces = (name: string): Trace[] => readTraces(folder(name), 1);

function folder(name: string): string {
  const path = join(RECORDINGS, name);
  if (!existsSync(path)) throw new UserError(`no recordings at ${path}: npm run data brings them`);
  return path;
}
