// Plays a recorded encode again, in this network: it only writes files, which the server in the other one follows.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { LINK_LEAD_SECONDS, type ReplayJob } from '../job.js';

/** Players join a stream that has been going on for a while, and always at the same picture. */
const JOIN_SECONDS = 4.5;

/** Before that the page is opened, and with its connection the link's trace begins: always at the same picture, too. */
const OPEN_SECONDS = JOIN_SECONDS - LINK_LEAD_SECONDS;

const POLLING_MS = 20;
const PATIENCE_MS = 30_000;

interface RunningReplay {
  /** Ms since 1970 at media time 0. */
  readonly availabilityStart: number;
  /** Resolves when the player is to join. */
  untilJoin(): Promise<void>;
  /** How late a chunk was at most, in ms, if the replay has said so. */
  lateMs(): number;
  stop(): void;
}

/** Resolves when the page is to be opened. */
export async function startReplay({ command, recording, out, latency }: ReplayJob): Promise<RunningReplay> {
  const options = ['--out', out, '--replay', '--latency', String(latency)];
  const child = spawn(command, [recording, ...options], { stdio: ['ignore', 'inherit', 'pipe'] });
  let lateMs = 0;
  createInterface(child.stderr).on('line', (line) => {
    process.stderr.write(`${line}\n`);
    // It says it each time that one is later than all before.
    lateMs = Number(/(\d+) ms late/.exec(line)?.[1] ?? lateMs);
  });
  const deadline = Date.now() + PATIENCE_MS;
  let availabilityStart = startOf(out);
  while (availabilityStart === undefined) {
    if (Date.now() > deadline || child.exitCode !== null) throw new Error('the encode is not replayed');
    await sleep(POLLING_MS);
    availabilityStart = startOf(out);
  }
  const start = availabilityStart;
  const until = (seconds: number) => sleep(Math.max(0, start + 1000 * seconds - Date.now()));
  await until(OPEN_SECONDS);
  return {
    availabilityStart,
    untilJoin: () => until(JOIN_SECONDS),
    lateMs: () => lateMs,
    stop: () => child.kill('SIGKILL'),
  };
}

/** Undefined: not yet. */
function startOf(folder: string): number | undefined {
  try {
    const state = JSON.parse(readFileSync(join(folder, 'live.json'), 'utf8')) as { readonly availabilityStart: number };
    return state.availabilityStart;
  } catch {
    return undefined;
  }
}
