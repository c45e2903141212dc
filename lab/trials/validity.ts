import type { Observation } from './job.js';
import type { LinkSecond } from './link-log.js';
import type { Trial } from './plan.js';
import type { SystemDelivery } from './system.js';

/** What a trial needs of linkemu's log. */
export interface LinkSummary {
  readonly valid: boolean;
  /** How late the emulator was at most, ms. */
  readonly lateMs: number;
  /** From the server to the client. */
  readonly paths: readonly { readonly name: string; readonly down: readonly LinkSecond[] }[];
}

/**
 * Share of a session's pictures, without stalls, that may come late; beyond, the processor was too slow for the video.
 * Around stalls Chromium drops pictures as a matter of course: it lets the sound go on for a while.
 */
const LATE_FRAMES = 0.1;

/** The 99th percentile of how late the client's idle timers fire, ms; above, other programs had the processor. */
const TIMER_DELAY_MS = 50;

/** How late a chunk of a live stream may be written, ms; above, other programs had the encoder's processor. */
const REPLAY_LATE_MS = 100;

/** What `nextHopProtocol` says of each way to make plain requests. */
const PROTOCOLS: Readonly<Partial<Record<SystemDelivery, string>>> = { http3: 'h3', http1: 'http/1.1' };

/** Problems of a machine that is slow or busy, whatever is played on it. */
const MACHINE_PROBLEMS = [/^the link emulator was/, /% of the pictures came late$/, /^timers were/, /^the replay was/];

/** Whether a better machine might not have the problem. */
export function isOfMachine(problem: string): boolean {
  return MACHINE_PROBLEMS.some((pattern) => pattern.test(problem));
}

/** Why a trial does not count: one line each, none if it does. */
export function problemsOf(seen: {
  readonly trial: Trial;
  readonly observation: Observation;
  readonly link: LinkSummary;
}): string[] {
  const { trial, observation, link } = seen;
  const { playback, timerDelay, replayLateMs = 0 } = observation;
  const problems: string[] = [];
  if (!link.valid) problems.push(`the link emulator was ${link.lateMs.toFixed(1)} ms late`);
  if (observation.outcome === 'failed') {
    problems.push(`playback failed: ${playback.errors[0]?.message ?? 'it neither went on nor ended'}`);
  }
  const late = playback.droppedVideoFrames / Math.max(1, playback.totalVideoFrames);
  if (playback.stalls === 0 && late > LATE_FRAMES) {
    problems.push(`${(100 * late).toFixed(0)} % of the pictures came late`);
  }
  if (timerDelay.p99 > TIMER_DELAY_MS) problems.push(`timers were ${timerDelay.p99.toFixed(0)} ms late`);
  if (replayLateMs > REPLAY_LATE_MS) problems.push(`the replay was ${replayLateMs} ms late`);
  return [...problems, ...deliveryProblems(trial.system.delivery, observation)];
}

/** Whether the segments travelled as the system says. */
function deliveryProblems(delivery: SystemDelivery, { protocols, segments }: Observation): string[] {
  const protocol = PROTOCOLS[delivery] ?? 'h3';
  // Chromium has no name for most responses of byte ranges over plain HTTP, which can be nothing but HTTP/1.1, and none for
  // requests that were not answered: a link that is dead for a minute is no reason to leave a session out.
  const isUnnamed = (name: string) => name === '' && protocol in protocols;
  const others = Object.keys(protocols).filter((name) => name !== protocol && !isUnnamed(name));
  if (others.length > 0) return [`media requests over '${others.join("', '")}' instead of ${protocol}`];
  if (delivery in PROTOCOLS || segments.length === 0) return [];
  return segments.some((segment) => segment.transport === delivery) ? [] : [`nothing came over ${delivery}`];
}
