import { UserError } from '../../tools/setup/process.mjs';

/** One of several machines that share what is to be played: every `of`-th, from the `index`-th on, both from 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** For --help. */
export const SHARD_FORM = 'I/N';

const MOST = 10_000;

/** `text`: what `--shard` has; undefined: it is not given. Throws a `UserError`. */
export function shardOption(text: string | undefined): Shard | undefined {
  if (text === undefined) return undefined;
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? [];
  if (!(index! >= 1 && of! <= MOST && index! <= of!))
    throw new UserError(`--shard must be ${SHARD_FORM} with I from 1 to N and N at most ${MOST}, got '${text}'`);
  return { index: index!, of: of! };
}

/** What a shard plays; all without one. */
export function shareOf<Item>(items: readonly Item[], shard: Shard | undefined): readonly Item[] {
  return shard ? items.filter((_, place) => place % shard.of === shard.index - 1) : items;
}
