import type { Fields } from '../fields.js';

/** A live stream that is played: the same recorded encode in every session. */
export interface LiveSpec {
  /** How far behind the capture players are to be, s: what `voxel-live --latency` and the players are given. */
  readonly latency: number;
  /** Length of a session, from the player's start. */
  readonly seconds: number;
  /** The part of it that is not in the figures: to join a stream and to come to its latency by a playback rate of a few percent takes a while. */
  readonly settling: number;
}

/** What a start-up of a second takes to catch up with at a rate of 1.04, which is `voxel-live`'s, and a little. */
const SETTLING_SECONDS = 30;

const LEAST_SECONDS = 5;

/** A recording takes as long as its sessions. */
const MOST_SECONDS = 3600;

/** `live` of a configuration; undefined: on demand. */
export function liveSpec(fields: Fields): LiveSpec | undefined {
  if (!fields.has('live')) return undefined;
  const own = fields.object('live', {});
  const latency = own.number('latency', { low: 0.2, high: 30 });
  const seconds = own.number('seconds', { low: LEAST_SECONDS, high: MOST_SECONDS });
  const high = seconds - 1;
  const settling = own.optionalNumber('settling', { low: 0, high }) ?? Math.min(SETTLING_SECONDS, high);
  own.end();
  return { latency, seconds, settling };
}
