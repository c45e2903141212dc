import { AbrLive } from '../../src/abr-star/index.js';
import type { LiveLink, LiveRung } from '../../src/delivery/live-link.js';

/** All that it goes by is in the state. */
const rule = new AbrLive();

/**
 * Which representation of a live stream comes next, by what a link has carried: its place in `ladder`, which is ascending in bitrate and not
 * empty.
 */
export const chooseLive = (
  link: LiveLink,
  ladder: readonly LiveRung[],
  moment: Parameters<LiveLink['state']>[1],
): number => rule.choose(link.state(ladder, moment)).option.representation;
