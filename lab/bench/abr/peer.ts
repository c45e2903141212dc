import { compareWithPeer, peerExperiment } from '../../sim/peer.js';
import { runExperiment } from '../../sim/pool.js';
import { atMost } from '../../sim/report/bar.js';
import type { Section } from './section.js';

/** Our BOLA-E and throughput rules against Sabre's published figures. */
export async function peer(traces: string, referenceFile: string): Promise<Section> {
  const comparisons = compareWithPeer(await runExperiment(peerExperiment(traces)), referenceFile);
  return {
    title: 'against Sabre: 86 3G traces, constant bitrate, 100 ms latency',
    text: comparisons
      .map(({ abr, buffer, ...figures }) => {
        const [stall, rate, stallBias, rateBias] = [
          figures.bufRatioDifference,
          figures.bitrateDifference,
          figures.bufRatioBias,
          figures.bitrateBias,
        ].map((ratio) => (100 * ratio).toFixed(2));
        return `${abr}, buffer ${buffer}: median difference ${stall} pp bufRatio, ${rate} % bitrate; mean ${stallBias} pp, ${rateBias} %`;
      })
      .join('\n'),
    data: comparisons,
    bars: comparisons.flatMap(({ abr, buffer, bufRatioDifference, bitrateDifference }) => [
      atMost(`Sabre's ${abr}, buffer ${buffer}: median difference of bufRatio`, bufRatioDifference, 0.005),
      atMost(`Sabre's ${abr}, buffer ${buffer}: median difference of bitrate`, bitrateDifference, 0.05),
    ]),
  };
}
