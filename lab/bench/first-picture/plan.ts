import { UserError } from '../../../tools/setup/process.mjs';
import type { Trial } from '../../trials/plan.js';
import type { Measure } from './cells.js';

/** Pairs of places that a pair of sessions with jumps stands for: it has 20, which resemble each other. */
const SEEKS_FOR = 5;

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
