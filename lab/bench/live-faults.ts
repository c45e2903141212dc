import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCopied, type CopiedStream } from '../../test/browser/support/copied-stream.js';
import { captureStart, liveFolder, untilThere } from '../../test/browser/support/live-stream.js';
import { servePlayerPageWith } from '../../test/browser/support/player-page.js';
import { ensureChrome } from '../../tools/setup/chrome.mjs';
import { choiceOption, integerOption } from '../../tools/setup/command-line.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { root, venvProgram } from '../../tools/setup/paths.mjs';
import { say } from '../../tools/setup/process.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { atLeast, atMost, barLine, type Bar } from '../sim/report/bar.js';
import { makeFarNetwork, mountSmallDisk, type FarNetwork, type SmallDisk } from './live-faults/machine.js';
import { recovery, type Recovery } from './live-faults/pictures.js';
import {
  PLAYERS,
  saidBy,
  secondsBehind,
  shownPictures,
  startViewer,
  untilShown,
  type PlayerName,
  type Viewer,
} from './live-faults/viewers.js';

export const usage = `npm run bench -- live-faults [--json] [--fault FAULT] [--rounds N] [--server PROGRAM]: FFmpeg sends a ladder to voxel-live --copy; dash.js and
hls.js as they are, voxel-dash and voxel-dash/hls play it, each in a profile of its own, over a network of two namespaces. Then, N times (1), of the
faults or of one: encoder, killed and started again 3 s later; disk, that of the stream full for 5 s; network, every packet of the viewers lost for
10 s. How long after its end pictures move again, how fast, and how far behind the capture: the end of what the encoder leaves out comes so much later
to a viewer. All that was published meanwhile is checked: manifests and playlists, times, and that segments decode. PROGRAM: voxel-quiche instead of
voxel-serve. --json: one object on standard output. Takes root's rights. Exit code 1 where a player is not back within 5 s or something published is
wrong.`;

export const options = {
  json: { type: 'boolean', default: false },
  fault: { type: 'string' },
  rounds: { type: 'string', default: '1' },
  server: { type: 'string' },
} as const;

/** Seconds after a fault's end. */
const BACK_BAR = 5;

/** Seconds of the video in a second. */
const SPEED_BAR = 0.9;

const DISK_MEGABYTES = 48;
/** Pictures that each player has shown, and milliseconds that all play, before the fault: catch-up makes good what starts have cost. */
const SETTLED = { pictures: 30, milliseconds: 30_000 };
/** Milliseconds that they are watched after its end. */
const WATCHED = 20_000;

interface Stage {
  readonly copied: CopiedStream;
  readonly disk: SmallDisk;
  readonly network: FarNetwork;
}

/** Each makes a fault and ends with it. */
const FAULTS = {
  async encoder({ copied }: Stage) {
    await copied.killEncoder();
    await sleep(3000);
    copied.startEncoder();
  },
  disk: ({ disk }: Stage) => disk.fill(5000),
  async network({ network }: Stage) {
    network.lose(true);
    await sleep(10_000);
    network.lose(false);
  },
};

type FaultName = keyof typeof FAULTS;

const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

interface Played extends Recovery {
  readonly fault: FaultName;
  readonly player: PlayerName;
  /** Seconds behind the capture, before the fault and at last. */
  readonly behind: readonly [before: number, after: number];
  /** What the player said since the fault. */
  readonly errors: readonly string[];
  readonly sessions: readonly string[];
  readonly fallbacks: readonly string[];
}

/** What of a stream was looked at. */
interface Published {
  readonly fault: FaultName;
  readonly manifests: number;
  readonly playlists: number;
  readonly segments: number;
  readonly problems: readonly string[];
}

/** Measures and prints. Throws a `UserError`. */
export async function main(values: { json: boolean; fault?: string; rounds: string; server?: string }): Promise<Bar[]> {
  const only = choiceOption('fault', values.fault, FAULT_NAMES) as FaultName | undefined;
  const rounds = integerOption('rounds', values.rounds, { low: 1, high: 100 });
  const faults = only === undefined ? FAULT_NAMES : [only];
  await ensureBuild();
  const played: Played[] = [];
  const published: Published[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const fault of faults) {
      const seen = await suffer(fault, values.server ?? venvProgram('voxel-serve'));
      for (const one of seen.played) say(lineOf(one));
      played.push(...seen.played);
      published.push(seen.published);
    }
  }
  const bars = faults.flatMap((fault) => [
    ...PLAYERS.flatMap((player) => {
      const own = played.filter((one) => one.fault === fault && one.player === player);
      const name = `${fault}, ${player}`;
      return [
        atMost(`${name}: seconds until it is back`, Math.max(...own.map(({ back }) => back)), BACK_BAR),
        atLeast(`${name}: seconds of video in a second`, Math.min(...own.map(({ speed }) => speed)), SPEED_BAR),
      ];
    }),
    atMost(`${fault}: wrong in what is published`, problemsOf(published, fault).length, 0),
  ]);
  console.log(values.json ? JSON.stringify({ rounds, played, published, bars }) : bars.map(barLine).join('\n'));
  return bars;
}

async function suffer(fault: FaultName, server: string): Promise<{ played: Played[]; published: Published }> {
  const folder = mkdtempSync(join(tmpdir(), 'voxel-live-faults-'));
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
  try {
    const out = liveFolder(folder);
    const network = makeFarNetwork(folder);
    ends.unshift(() => network.remove());
    const disk = mountSmallDisk(out, DISK_MEGABYTES);
    ends.unshift(() => disk.remove());
    const copied = await startCopied(folder, '--keep');
    ends.unshift(() => copied.stop());
    await untilThere(join(out, 'master.m3u8'));
    const witness = watchPublished(out);
    ends.unshift(() => witness.end());
    const address = ['--host', network.serverAddress, '--insecure', '--allow-origin', '*'];
    const hls = ['--mount', `/hls.js=${join(root, 'node_modules/hls.js/dist')}`];
    const serving = await servePlayerPageWith(network.atServer(server), folder, out, ...address, ...hls);
    ends.unshift(() => serving.stop());
    const { url } = serving.ready;
    const secure = `--unsafely-treat-insecure-origin-as-secure=${new URL(url).origin}`;
    const browser = await launchChrome(network.atViewer(await ensureChrome()), [secure]);
    ends.unshift(() => browser.close());
    const viewers = await Promise.all(PLAYERS.map((name) => startViewer(browser, url, name)));
    const played = await watch(fault, viewers, { copied, disk, network }, captureStart(out));
    return { played, published: { fault, ...(await witness.check()) } };
  } finally {
    for (const end of ends) await end();
  }
}

async function watch(fault: FaultName, viewers: Viewer[], stage: Stage, start: number): Promise<Played[]> {
  await Promise.all(viewers.map((viewer) => untilShown(viewer, SETTLED.pictures)));
  await sleep(SETTLED.milliseconds);
  const before = await Promise.all(
    viewers.map(async (viewer) => ({ behind: await secondsBehind(viewer, start), said: await saidBy(viewer) })),
  );
  const begin = Date.now();
  await FAULTS[fault](stage);
  const end = Date.now();
  await sleep(WATCHED);
  const now = Date.now();
  return Promise.all(
    viewers.map(async (viewer, place) => {
      const { behind, said } = before[place]!;
      const { errors, sessions, fallbacks } = await saidBy(viewer);
      // What was captured when the encoder was back comes to a viewer so much later.
      const later = fault === 'encoder' ? 1000 * behind : 0;
      return {
        ...{ fault, player: viewer.name, behind: [behind, await secondsBehind(viewer, start)] as const },
        ...recovery(await shownPictures(viewer), { begin: begin + later, end: end + later }, now),
        errors: errors.slice(said.errors.length),
        sessions: sessions.slice(said.sessions.length),
        fallbacks: fallbacks.slice(said.fallbacks.length),
      };
    }),
  );
}

/** Looks at every state of what is published. `check`: ends that and checks them all; `end`: only ends it. */
function watchPublished(out: string): { check(): Promise<Omit<Published, 'fault'>>; end(): Promise<unknown> } {
  const script = join(root, 'manifests/tests/watch_published.py');
  const child = spawn(venvProgram('python'), [script, out], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  return {
    async check() {
      child.stdin.end();
      const said = await text(child.stdout);
      return JSON.parse(said) as Omit<Published, 'fault'>;
    },
    end() {
      child.kill();
      return exited;
    },
  };
}

function problemsOf(published: readonly Published[], fault: FaultName): string[] {
  return published.filter((one) => one.fault === fault).flatMap(({ problems }) => problems);
}

function lineOf(played: Played): string {
  const { fault, player, back, stood, standstills, speed, behind, errors, sessions, fallbacks } = played;
  const [before, after] = behind.map((seconds) => seconds.toFixed(1));
  const when = standstills.map((span) => span.map((seconds) => seconds.toFixed(1)).join(' to ')).join(', ');
  const figures = `back after ${back.toFixed(1)} s, stood for ${stood.toFixed(1)} s (${when}), speed ${speed.toFixed(2)}`;
  const said = [...errors, ...sessions, ...new Set(fallbacks)].join('; ');
  return `${fault}, ${player}: ${figures}, ${before} and ${after} s behind${said && `; ${said}`}`;
}
