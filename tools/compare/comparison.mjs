// @ts-check
import { startLane } from '../link/lane.mjs';

/** Dynamic, VOXEL over streams, VOXEL over datagrams: each has a link of its own, so that they do not fight for one queue. */
export const PLAYERS = 3;

/** @typedef {Awaited<ReturnType<typeof startComparison>>} Comparison */

/**
 * The links of one comparison, the same for each player; their traces begin together, at once.
 * @param {import('./presets.mjs').Preset} preset @param {{ scale: number, seed: number }} settings
 * @param {{ httpPort: number, quicPort: number }} server
 */
export async function startComparison(preset, { scale, seed }, { httpPort, quicPort }) {
  const links = [preset.link, ...(preset.second ? [preset.second] : [])];
  const players = await Promise.all(
    Array.from({ length: PLAYERS }, () =>
      Promise.all(links.map((link) => startLane(link, { httpPort, quicPort, seed }))),
    ),
  );
  const all = players.flat();
  /** @param {typeof all} lanes @param {(lane: typeof all[number]) => number} value */
  const sum = (lanes, value) => lanes.reduce((total, lane) => total + value(lane), 0);
  const comparison = {
    /** Where each player finds its server: one address of HTTP, and one of QUIC over each link. */
    lanes: players.map((lanes) => ({
      http: `http://127.0.0.1:${lanes[0]?.tcpPort}/`,
      endpoints: lanes.map(({ udpPort }) => `https://127.0.0.1:${udpPort}/voxel`),
    })),
    /** Multiplies the links' rates from now on. @param {number} factor */
    rescale(factor) {
      for (const lane of all) lane.rescale(factor);
    },
    /** Of now: seconds since the links began, bytes that a player's links could have sent, and what each player's have sent. */
    progress() {
      return {
        at: all[0]?.seconds() ?? 0,
        capacity: sum(players[0] ?? [], (lane) => lane.capacity()),
        sent: players.map((lanes) => sum(lanes, (lane) => lane.counts().sentBytes)),
        lost: players.map((lanes) => sum(lanes, (lane) => lane.counts().lost + lane.counts().dropped)),
      };
    },
    close() {
      for (const lane of all) lane.close();
    },
  };
  if (scale !== 1) comparison.rescale(scale);
  return comparison;
}
