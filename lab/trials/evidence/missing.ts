import { groupBy } from '../../sim/report/group-by.js';
import { FEWEST_SESSIONS, mean } from '../../sim/report/statistics.js';
import { OVERHEAD_SECONDS } from '../plan-description.js';
import { deliveredSeconds, waitedSeconds } from '../report/paired.js';
import type { TrialResult } from '../result.js';
import type { Provisional } from './claims.js';
import { commandOf, configPath, JOBS, type Matrix } from './kept.js';

/** What a matrix needs before none of its claims says “so far”. */
export interface Missing {
  readonly matrix: Matrix;
  readonly figures: readonly string[];
  /** Sessions of the claim with the fewest. */
  readonly fewest: number;
  /** Repetitions that give every claim its ten sessions; undefined: those of the configuration do. */
  readonly repetitions: number | undefined;
  /** Sessions to be played; undefined: nobody has counted the traces of the configuration. */
  readonly sessions: number | undefined;
  /** That takes about as long, with the jobs of its command. */
  readonly minutes: number | undefined;
}

/** For each matrix with a claim that says “so far”. */
export function missing(claims: readonly Provisional[]): Missing[] {
  return [...groupBy(claims, ({ matrix }) => matrix.name).values()].map((own) => {
    const { matrix } = own[0]!;
    const { config, sessions: kept, planned } = matrix;
    const fewest = Math.min(...own.map(({ sessions }) => sessions));
    // Of a matrix that is not all played the claim may have more to come: every start and repetition at least.
    const whole = Math.max(fewest, config.shifts * config.repetitions);
    const needed = Math.ceil((config.repetitions * FEWEST_SESSIONS) / whole);
    const total = planned && (planned * Math.max(needed, config.repetitions)) / config.repetitions;
    const sessions = total && total - kept.length;
    const seconds = OVERHEAD_SECONDS + mean(kept.map((session) => takes(matrix, session)));
    return {
      matrix,
      figures: [...new Set(own.map(({ claim }) => claim.figure))],
      fewest,
      repetitions: needed > config.repetitions ? needed : undefined,
      sessions,
      minutes: sessions && Math.ceil((sessions * seconds) / 60 / JOBS),
    };
  });
}

/** Seconds of a session. */
function takes({ config: { live } }: Matrix, session: TrialResult): number {
  return live?.seconds ?? deliveredSeconds(session) + waitedSeconds(session);
}

/** Longer than that is for another day. */
const MANY_MINUTES = 120;

/** The same for a terminal: shortest first. */
export function missingText(all: readonly Missing[]): string {
  if (all.length === 0) return 'No claim says “so far”.';
  const minutesOf = ({ minutes = Infinity }: Missing) => minutes;
  return all
    .toSorted((a, b) => minutesOf(a) - minutesOf(b))
    .map(({ matrix: { name }, figures, fewest, repetitions, sessions, minutes }) =>
      [
        `${name}: ${figures.join('; ')} (n = ${fewest})`,
        ...(repetitions ? [`  in ${configPath(name)} set "repetitions": ${repetitions}, then`] : []),
        `  ${commandOf(name)}`,
        `  ${sessions === undefined ? 'sessions: --plan counts them' : `${sessions} sessions, ${durationText(minutes!)}`}`,
      ].join('\n'),
    )
    .join('\n\n');
}

function durationText(minutes: number): string {
  if (minutes <= MANY_MINUTES) return `about ${minutes} min`;
  return `about ${(minutes / 60).toFixed(1)} h: more than two hours`;
}
