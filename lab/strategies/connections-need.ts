import type { DecisionState, Option } from '../../src/abr-star/index.js';
import type { ConnectionsNeed } from './connections.js';

/** Share of the throughput that rules let a representation take. */
const SAFETY = 0.9;

/** Share of the highest representation's score that is wanted: what is above that is hardly seen. */
const WANTED_SCORE = 0.99;

/** What the number of connections for a segment depends on, once a bitrate rule has chosen. */
export function connectionsNeed(
  { segmentIndex, ladder, options, upcoming = [options] }: DecisionState,
  choice: Option,
): ConnectionsNeed {
  const top = ladder.at(-1)!;
  const wanted = ladder.find(({ averageScore }) => averageScore >= WANTED_SCORE * top.averageScore)!;
  const sizeIn = (segment: readonly Option[]) =>
    segment.findLast(({ representation }) => representation === choice.representation)?.bytes;
  return {
    segment: segmentIndex,
    representation: choice.representation,
    sizes: upcoming.map(sizeIn).filter((bytes) => bytes !== undefined),
    topRate: top.bitrate / SAFETY,
    isTop: choice.representation === ladder.length - 1,
    wantedRate: wanted.bitrate / SAFETY,
  };
}
