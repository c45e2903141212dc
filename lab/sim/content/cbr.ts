import { makeContent, type Content } from './content.js';
import { layOut } from './segment-layout.js';
import { THESIS_BITRATES, THESIS_SEGMENT_DURATION } from './ladder.js';

/**
 * The thesis' ladder at constant bitrate, without virtual levels: what the peer's reference figures were made with. The
 * score is the utility of plain BOLA, ln(bitrate / lowest bitrate), brought to 0 … 1.
 */
export function constantBitrateContent(segmentCount: number): Content {
  const highest = Math.log(THESIS_BITRATES.at(-1)! / THESIS_BITRATES[0]!);
  const ladder = THESIS_BITRATES.map((bitrate) => ({
    bitrate,
    averageScore: Math.log(bitrate / THESIS_BITRATES[0]!) / highest,
  }));
  const segment = ladder.map(({ bitrate, averageScore }) =>
    layOut({
      reliableBytes: (bitrate / 8) * THESIS_SEGMENT_DURATION,
      steps: [{ score: averageScore, frames: 0, bytes: 0 }],
    }),
  );
  return makeContent({
    name: 'cbr',
    segmentDuration: THESIS_SEGMENT_DURATION,
    ladder,
    segments: Array.from({ length: segmentCount }, () => segment),
  });
}
