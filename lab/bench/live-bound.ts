import { join } from 'node:path';
import { root } from '../../tools/setup/paths.mjs';
import { dueTime } from '../../src/delivery/piece-queue.js';
import { startOf } from '../sim/link/trace.js';
import { unavoidableOutage } from '../sim/live/outage-bound.js';
import { readConfig } from '../trials/config.js';
import { traceOf } from '../trials/traces.js';

export const usage = `npm run bench -- live-bound: of each log and start of the matrix live-small the seconds of its minute in which no player at its
latency can have new pictures, though it knew the future: chunks of 4 frames at 30 frames per second that wait for 3 B frames and have to be with
the player 80 ms before they are shown. Once where all bytes of the lowest level have to come, once where half of them do. A session starts up to 3 s after its link: the lower of both ends counts. Logs that are absent (npm run data) are generated.`;

export const options = {} as const;

const CONFIG = join(root, 'lab/trials/configs/live-small.json');

const FRAME = 1 / 30;
const CHUNK_FRAMES = 4;
const B_FRAMES = 3;
const LATEST_START = 3;
const SHARES = [1, 0.5];

export function main(): void {
  const { live, links, videos, seed } = readConfig(CONFIG);
  if (!live || !links) throw new RangeError(`${CONFIG} has no live streams over links`);
  const due = dueTime(live.latency, { mediaTime: 0, at: 0, rate: 1 }) / 1000;
  const lowest = 1e6 * Number(/:([\d.]+)/.exec(videos[0]!.levels!)![1]);
  for (const { traces, path, shifts } of links) {
    const lead = due - (CHUNK_FRAMES + B_FRAMES) * FRAME - path.delayMs / 1000;
    for (const spec of traces) {
      const trace = traceOf(spec, seed);
      for (let shift = 0; shift < shifts; shift++) {
        const start = startOf(trace, shift, shifts);
        const least = SHARES.map((share) => {
          const demand = { rate: share * lowest, chunk: CHUNK_FRAMES * FRAME, lead };
          const outages = [0, LATEST_START].map((late) =>
            unavoidableOutage(trace, start, { from: live.settling + late, to: live.seconds + late }, demand),
          );
          return Math.min(...outages).toFixed(1);
        });
        console.log(
          `${trace.name}, start ${shift}: ${least[0]} s with all of the lowest level, ${least[1]} s with half of it`,
        );
      }
    }
  }
}
