import { PlayerError } from '../api/errors.js';
import type { VoxelOptions } from '../api/types.js';

/** Options of every build, and those that some have. Written out as a record, so that none is forgotten. */
const OPTIONS: Readonly<Record<keyof VoxelOptions, 1>> = {
  ...{ abr: 1, bufferSegments: 1, delivery: 1, strategy: 1, refetch: 1 },
  ...{ endpoint: 1, headerHosts: 1, workerUrl: 1, bandwidthSafety: 1 },
};

/** Letters with which a name must begin as an option does to be taken for it. */
const LEAST_ALIKE = 3;

/** `added`: names of options that a build has besides. Throws `PlayerError` where a name is no option's, `RangeError` for what has none: pages may be without types. */
export function checkNames(options: object, added: readonly string[]): void {
  if (Object(options) !== options) throw new RangeError(`options must be an object, got ${JSON.stringify(options)}`);
  const names = [...Object.keys(OPTIONS), ...added];
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const alike = names.toSorted((a, b) => commonLength(b, unknown) - commonLength(a, unknown))[0]!;
  const hint =
    commonLength(alike, unknown) < LEAST_ALIKE ? `the options are ${names.join(', ')}` : `did you mean ${alike}?`;
  throw new PlayerError('unknown-option', `there is no option ${unknown}: ${hint}`);
}

/** How many letters at their beginnings two names have in common, be they small or capital. */
function commonLength(one: string, other: string): number {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** Method that only players of that kind have, how they are made, and what attaches to them. */
const PLAYERS = {
  dashjs: ['extend', 'dashjs.MediaPlayer().create()', 'attachVoxel', 'voxel-dash'],
  hlsjs: ['loadSource', 'new Hls()', 'attachVoxelHls', 'voxel-dash/hls'],
} as const;

/** Throws `PlayerError` for what is not a player of that kind. */
export function checkPlayer(player: unknown, kind: keyof typeof PLAYERS): void {
  const has = (method: string): boolean => typeof (Object(player) as Record<string, unknown>)[method] === 'function';
  const [method, made, attach] = PLAYERS[kind];
  if (has(method)) return;
  const [otherMethod, otherMade, otherAttach, entry] = PLAYERS[kind === 'dashjs' ? 'hlsjs' : 'dashjs'];
  const got = has(otherMethod)
    ? `${otherMade}: ${otherAttach} of ${entry} takes that`
    : Object.prototype.toString.call(player).slice(8, -1);
  throw new PlayerError('wrong-player', `${attach} takes a player as ${made} makes it, got ${got}`);
}
