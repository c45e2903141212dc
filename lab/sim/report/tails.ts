import { groupBy } from './group-by.js';
import { groupedInterval, type Bounded, type Statistic } from './statistics.js';

/** Share of its time that is long for a viewer to wait. */
const LONG_WAIT = 0.05;

/** Whether a viewer waits for long. `share`: the wait's of all the time that the session takes. */
export function isLongWait(share: number): boolean {
  return share > LONG_WAIT;
}

/** What a session says of waiting, and of how pictures followed each other. Seconds; null: it does not say. */
export interface TailSession {
  /** Sessions over the same trace resemble each other. */
  readonly trace: string;
  /** Start-up and stalls together. */
  readonly waited: number;
  readonly waitsLong: boolean;
  /** Seconds of all stalls: what the longest one lasts at most. */
  readonly stalled: number;
  readonly longestStall: number | null;
  readonly longestStill: number | null;
  /** New ones in a second of playback, waits left out. */
  readonly picturesPerSecond: number | null;
}

/** The sessions that viewers leave for, and what they see. Bounds from ten sessions on, drawn over traces and their sessions. */
export interface Tails {
  readonly sessions: number;
  /** Share of the sessions that wait for more than 5 % of their time. */
  readonly waitsLong: Bounded;
  /** Mean of the worst 5 % of the sessions, seconds waited. */
  readonly worst: Bounded;
  /** Means over the sessions; null: one of them does not say. */
  readonly longestStall: Bounded | null;
  readonly longestStill: Bounded | null;
  readonly picturesPerSecond: Bounded | null;
  /** Mean of what the longest stalls last at most. */
  readonly longestStallAtMost: number;
}

/** `sessions`: of one system, at least one. */
export function tailsOf(sessions: readonly TailSession[]): Tails {
  const traces = [...groupBy(sessions, ({ trace }) => trace).values()];
  const over = (measure: (session: TailSession) => number, statistic: Statistic = 'mean') =>
    groupedInterval(
      traces.map((own) => own.map(measure)),
      statistic,
    );
  const known = (name: 'longestStall' | 'longestStill' | 'picturesPerSecond') =>
    sessions.every((session) => session[name] !== null) ? over((session) => session[name]!) : null;
  return {
    sessions: sessions.length,
    waitsLong: over(({ waitsLong }) => (waitsLong ? 1 : 0)),
    worst: over(({ waited }) => waited, 'worst'),
    longestStall: known('longestStall'),
    longestStill: known('longestStill'),
    picturesPerSecond: known('picturesPerSecond'),
    longestStallAtMost: over(({ stalled, longestStall }) => longestStall ?? stalled).value,
  };
}
