import { UserError } from '../../tools/setup/process.mjs';
import type { Experiment, SessionResult, Task } from './experiment.js';

/** What a session is known by. */
type SessionKey = Pick<SessionResult, 'trace' | 'shift' | 'abr' | 'buffer'>;

const keyOf = ({ trace, shift, abr, buffer }: SessionKey) => JSON.stringify([trace, shift, abr, buffer]);

const byKey = (kept: readonly SessionResult[]) => new Map(kept.map((session) => [keyOf(session), session]));

/** The keys of a task's sessions, in the order in which it plays them. */
function keysOf({ traces, rules, buffers }: Experiment, { trace, shift }: Task): string[] {
  return rules.flatMap((abr) => buffers.map((buffer) => keyOf({ trace: traces[trace]!.name, shift, abr, buffer })));
}

/** The tasks of which not all sessions are kept. */
export function tasksLeft(kept: readonly SessionResult[], experiment: Experiment, tasks: readonly Task[]): Task[] {
  const known = byKey(kept);
  return tasks.filter((task) => keysOf(experiment, task).some((key) => !known.has(key)));
}

/** The sessions of tasks in their order. Throws a `UserError` that names the `place` where some are not kept. */
export function allSessions(
  kept: readonly SessionResult[],
  experiment: Experiment,
  tasks: readonly Task[],
  place: string,
): SessionResult[] {
  const known = byKey(kept);
  const wanted = tasks.flatMap((task) => keysOf(experiment, task));
  const found = wanted.flatMap((key) => known.get(key) ?? []);
  const missing = wanted.length - found.length;
  if (missing > 0) throw new UserError(`${place}: ${missing} of ${wanted.length} sessions are missing`);
  return found;
}
