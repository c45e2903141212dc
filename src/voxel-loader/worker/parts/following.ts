// The part of the worker's program that follows growing files.
import type { Host } from '../host.js';
import { Followings } from '../live/followings.js';

export const createFollowings = (host: Host): Followings => new Followings(host);
