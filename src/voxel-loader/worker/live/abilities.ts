import type { Abilities } from '../host.js';
import { Followings } from './followings.js';

/** Abilities of workers that follow live streams. */
export const liveAbilities: Pick<Abilities, 'following'> = { following: (host) => new Followings(host) };
