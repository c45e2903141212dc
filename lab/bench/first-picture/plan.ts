import { UserError } from '../../../tools/setup/process.mjs';
import type { TrialsConfig } from '../../trials/config.js';
import type { PathSpec } from '../../trials/path.js';
import type { Trial } from '../../trials/plan.js';
import type { Measure } from './cells.js';

/** Pairs of places that a pair of sessions with jumps stands for: it has 20, which resemble each other. */
const SEEKS_FOR = 5;

/** Media seconds of a session of which only the start is measured: the segments that the first ten seconds lie in, of four seconds each. */
const START_SECONDS = 12;

/** The same links and videos for starts alone: the session is over, and no outage comes, once the first seconds were seen. */
export function startsOnly(config: TrialsConfig): TrialsConfig {
  const steady = (path: PathSpec): PathSpec => {
    const { outages, ...steady } = path;
    return outages ? steady : path;
  };
  return {
    ...config,
    paths: config.paths.map(steady),
    links: config.links?.map((link) => ({ ...link, path: steady(link.path) })),
    viewer: { seconds: START_SECONDS, seeks: 0 },
  };
}

/** Sessions of each player in a cell. */
export function sessionsOf(measure: Measure, pairs: number): number {
  return measure === 'seek' ? Math.ceil(pairs / SEEKS_FOR) : pairs;
}

/** The names in `text`, all where it is undefined. Throws a `UserError` that names the option. */
export function chosen<Name extends string>(
  option: string,
  text: string | undefined,
  names: readonly Name[],
): readonly Name[] {
  if (text === undefined) return names;
  return text.split(',').map((part) => {
    const found = names.find((name) => name === part.trim());
    if (found === undefined)
      throw new UserError(`--${option} must be of ${names.map((name) => `'${name}'`).join(', ')}, got '${part}'`);
    return found;
  });
}

/** The same trials; of each two that are compared and stand one behind the other, who goes first takes turns. */
export function alternating(trials: readonly Trial[]): Trial[] {
  const pairs = Array.from({ length: Math.ceil(trials.length / 2) }, (_, pair) => trials.slice(2 * pair, 2 * pair + 2));
  return pairs.flatMap((pair) => {
    const { shift = 0, repetition = 0 } = pair[0] ?? {};
    return (shift + repetition) % 2 === 0 ? pair : pair.toReversed();
  });
}
