// @ts-check
import { startLane } from '../link/lane.mjs';

/** Dynamic, VOXEL over streams, VOXEL over datagrams: each has a link of its own, so that they do not fight for one queue. */
export const PLAYERS = 3;

/** @typedef {Awaited<ReturnType<typeof startComparison>>} Comparison */

/**
 * The links of one comparison, all alike; their traces begin together, at once.
 * @param {import('./presets.mjs').Preset} preset @param {{ scale: number, seed: number }} settings
 * @param {{ httpPort: number, quicPort: number }} server
 */
export async function startComparison(preset, { scale, seed }, { httpPort, quicPort }) {
  const lanes = await Promise.all(
    Array.from({ length: PLAYERS }, () => startLane(preset.link, { httpPort, quicPort, seed })),
  );
  const comparison = {
    /** Where each player finds its server. */
    lanes: lanes.map(({ tcpPort, udpPort }) => ({
      http: `http://127.0.0.1:${tcpPort}/`,
      endpoint: `https://127.0.0.1:${udpPort}/voxel`,
    })),
    /** Multiplies the links' rates from now on. @param {number} factor */
    rescale(factor) {
      for (const lane of lanes) lane.rescale(factor);
    },
    /** Of now: seconds since the links began, bytes that each could have sent, and what it has sent. */
    progress() {
      return {
        at: lanes[0]?.seconds() ?? 0,
        capacity: lanes[0]?.capacity() ?? 0,
        sent: lanes.map((lane) => lane.counts().sentBytes),
        lost: lanes.map((lane) => lane.counts().lost + lane.counts().dropped),
      };
    },
    close() {
      for (const lane of lanes) lane.close();
    },
  };
  if (scale !== 1) comparison.rescale(scale);
  return comparison;
}
