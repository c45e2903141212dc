import { mean } from '../sim/report/statistics.js';
import { atLeast, atMost, barLine, type Bar } from '../sim/report/bar.js';
import { contentOf, runTask, tasksOf, type Experiment, type SessionResult } from '../sim/experiment.js';
import { readTraces } from '../sim/link/trace-source.js';
import { controlNames, type ControlName } from '../sim/link/controls.js';
import { BROWSER_PLAYER } from '../sim/player-model.js';
import { markdownTable } from '../sim/report/markdown-table.js';
import { progressLine } from '../sim/report/progress-line.js';

export const usage = `npm run bench -- far [--quick]: abr-star beside dash.js' Dynamic over far links in simulation: round trips of 100 and 300 ms, 0 and 1 % loss,
CUBIC and BBRv2 as voxel-quiche has them, 3 Mbit/s and an LTE-like link, two-second segments, 1 and 3 of them in the buffer, 40 starts each; 2,560 sessions, a
minute of a core. --quick: 8 starts. Exit code 1 where bitrate or SSIM is below Dynamic's, a viewer waits more than .6 times as long, or more than 80 % of the
link is idle.`;

export const options = { quick: { type: 'boolean', default: false } } as const;

const RULES = ['abr-star', 'dynamic'] as const;
const BUFFERS = [1, 3] as const;
const STARTS = 40;
const QUICK_STARTS = 8;

/** Bounds of what is asked for. */
const MOST_WAITED = 0.6;
const MOST_IDLE = 0.8;
/** SSIM below which a difference is none. */
const SSIM_DIGITS = 4;

/** The queue of voxel-quiche's trials, in packets. */
const QUEUE_PACKETS = 64;

/** A path to the server. */
interface Far {
  readonly link: string;
  readonly roundTrip: number;
  readonly loss: number;
  readonly control: ControlName;
}

/** What one rule came to on a path with one buffer: means. */
interface Figures {
  readonly bitrate: number;
  readonly score: number;
  readonly waited: number;
  readonly linkIdle: number;
}

interface Cell extends Far {
  readonly buffer: number;
  readonly ours: Figures;
  readonly theirs: Figures;
}

/** Measures and prints. */
export function main({ quick }: { quick: boolean }): Bar[] {
  const paths = farPaths();
  const progress = progressLine('far links');
  const cells = paths.flatMap((path, index) => {
    const found = play(path, quick ? QUICK_STARTS : STARTS);
    progress(index + 1, paths.length);
    return found;
  });
  const bars = cells.flatMap(barsOf);
  const missed = bars.filter(({ holds }) => !holds);
  console.log(
    [table(cells), ...missed.map(barLine), `${bars.length - missed.length} of ${bars.length} hold`].join('\n'),
  );
  return bars;
}

function farPaths(): Far[] {
  return ['constant:3', 'lte-like:5'].flatMap((link) =>
    [0.1, 0.3].flatMap((roundTrip) =>
      [0, 0.01].flatMap((loss) => controlNames.map((control) => ({ link, roundTrip, loss, control }))),
    ),
  );
}

/** `lte-like:5`: as in trials, the fifth link of that generator. */
function tracesOf(link: string): Experiment['traces'] {
  const [source, number] = link.split(':');
  return source === 'constant' ? readTraces(link, 1) : [readTraces(source!, 1)[Number(number) - 1]!];
}

function play({ link, roundTrip, loss, control }: Far, shifts: number): Cell[] {
  const experiment: Experiment = {
    traces: tracesOf(link),
    shifts,
    rules: RULES,
    buffers: BUFFERS,
    content: 'synthetic:2',
    segments: 60,
    transport: { kind: 'quic', roundTrip, queuePackets: QUEUE_PACKETS, loss, control, server: 'quiche' },
    player: BROWSER_PLAYER,
    seed: 1,
  };
  const content = contentOf(experiment);
  const results = tasksOf(experiment).flatMap((task) => runTask(experiment, content, task));
  return BUFFERS.map((buffer) => {
    const [ours, theirs] = RULES.map((rule) =>
      figuresOf(results.filter((result) => result.abr === rule && result.buffer === buffer)),
    );
    return { link, roundTrip, loss, control, buffer, ours: ours!, theirs: theirs! };
  });
}

function figuresOf(results: readonly SessionResult[]): Figures {
  const all = (measure: (result: SessionResult) => number) => mean(results.map(measure));
  return {
    bitrate: all(({ bitrate }) => bitrate),
    score: all(({ score }) => score),
    waited: all(({ waited }) => waited),
    linkIdle: all(({ linkIdle }) => linkIdle),
  };
}

const nameOf = ({ link, roundTrip, loss, control, buffer }: Cell) =>
  `${link}, ${1000 * roundTrip} ms, ${100 * loss} % lost, ${control}, ${buffer} segment${buffer > 1 ? 's' : ''}`;

function barsOf(cell: Cell): Bar[] {
  const { ours, theirs } = cell;
  const name = nameOf(cell);
  return [
    atLeast(`${name}: bitrate over Dynamic's`, ours.bitrate / theirs.bitrate, 1),
    atLeast(`${name}: SSIM less Dynamic's`, Number((ours.score - theirs.score).toFixed(SSIM_DIGITS)), 0),
    atMost(`${name}: waited over Dynamic's`, ours.waited / theirs.waited, MOST_WAITED),
    atMost(`${name}: link idle`, ours.linkIdle, MOST_IDLE),
  ];
}

function table(cells: readonly Cell[]): string {
  const both = ({ ours, theirs }: Cell, figure: keyof Figures, scale: number, digits: number) =>
    [ours, theirs].map((side) => (scale * side[figure]).toFixed(digits)).join(' / ');
  return markdownTable([
    ['`abr-star` / Dynamic', 'kbit/s', 'SSIM', 'waited s', 'link idle %'],
    ...cells.map((cell) => [
      nameOf(cell),
      both(cell, 'bitrate', 0.001, 0),
      both(cell, 'score', 1, 4),
      both(cell, 'waited', 1, 2),
      both(cell, 'linkIdle', 100, 0),
    ]),
  ]);
}
