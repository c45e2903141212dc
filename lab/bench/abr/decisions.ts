import { LOOKAHEAD, segmentOptions, type DecisionState, type Option } from '../../../src/abr-star/index.js';
import { bufferCapacity } from '../../../src/delivery/index.js';
import { THESIS_BITRATES, THESIS_SEGMENT_DURATION } from '../../sim/content/ladder.js';
import { pieceCount } from '../../sim/pieces.js';

/** Segments that the buffer holds. */
const BUFFER_SEGMENTS = 7;

/** Samples that rules are told of. */
const SAMPLES = 20;

/** What a rule is asked about. Seconds. */
export interface Situation {
  readonly name: string;
  readonly segmentDuration: number;
  readonly timeToFirstByte: number;
  readonly lossRate: number;
  readonly isInPieces: boolean;
  /** Virtual levels of each representation, and share of its bytes that is reliable. */
  readonly levels: number;
  readonly reliableShare: number;
  /** Share of a segment's score that its reliable bytes alone have. */
  readonly floor: number;
}

/** The thesis' stream near the server, as whole segments. */
export const PLAIN: Situation = {
  name: '15 levels',
  segmentDuration: THESIS_SEGMENT_DURATION,
  timeToFirstByte: 0,
  lossRate: 0,
  isInPieces: false,
  levels: 15,
  reliableShare: 0.15,
  floor: 0.8,
};

/** Shares and numbers of levels are those of prepared clips: AV1's closed sets must have frames that others do not, and what is left shows little. */
export const SITUATIONS: readonly Situation[] = [
  { ...PLAIN, name: '15 levels, pieces', isInPieces: true },
  {
    ...PLAIN,
    name: '15 levels, pieces, far',
    segmentDuration: 2,
    timeToFirstByte: 0.3,
    lossRate: 0.01,
    isInPieces: true,
  },
  { ...PLAIN, name: '65 levels, pieces', isInPieces: true, levels: 65 },
  { ...PLAIN, name: '65 levels of closed sets, pieces', isInPieces: true, levels: 65, reliableShare: 0.88, floor: 0.5 },
];

/** States of one playback, one segment after the other. As in a player, the options of a segment are made when it comes into view. */
export function* decisionStates(count: number, situation: Situation): Generator<DecisionState> {
  const upcoming: Option[][] = [];
  for (let index = 0; index < count; index++) {
    while (upcoming.length < LOOKAHEAD) {
      upcoming.push(optionsOf(1 + 0.3 * Math.sin(index + upcoming.length), situation));
    }
    yield decisionState(index, [...upcoming], situation);
    upcoming.shift();
  }
}

/**
 * Buffer and throughput go through their whole ranges, so that no branch is the only one taken. `upcoming`: as in playback, one
 * segment moves out and one in from each decision to the next.
 */
function decisionState(
  index: number,
  upcoming: readonly Option[][],
  { segmentDuration, timeToFirstByte, lossRate, isInPieces }: Situation,
): DecisionState {
  const throughput = 0.1e6 * 1.07 ** (index % 80);
  return {
    segmentIndex: index,
    segmentDuration,
    bufferLevel: (index * 0.325 * segmentDuration) % (BUFFER_SEGMENTS * segmentDuration),
    bufferCapacity: bufferCapacity(BUFFER_SEGMENTS, segmentDuration),
    throughput,
    samples: Array.from({ length: SAMPLES }, (_, age) => ({
      bytes: (throughput / 8) * segmentDuration * (1 + 0.3 * Math.sin(index + age)),
      seconds: segmentDuration + timeToFirstByte,
      timeToFirstByte,
    })),
    lastChoice: upcoming[0]![(index * 7) % upcoming[0]!.length],
    ladder: THESIS_BITRATES.map((bitrate, level) => ({ bitrate, averageScore: scoreOf(level) })),
    options: upcoming[0]!,
    upcoming,
    lossRate,
    ...(isInPieces && { pieceSeconds: segmentDuration / pieceCount(segmentDuration) }),
  };
}

function optionsOf(size: number, { segmentDuration, levels, reliableShare, floor }: Situation): Option[] {
  return segmentOptions(
    THESIS_BITRATES.map((bitrate, level) => {
      const bytes = (bitrate / 8) * segmentDuration * size;
      const steps = Array.from({ length: levels }, (_, step) => {
        const share = step / (levels - 1);
        return {
          score: scoreOf(level) * (floor + (1 - floor) * Math.sqrt(share)),
          frames: 6 * step,
          bytes: (1 - reliableShare) * bytes * share,
        };
      });
      return { range: { start: 0, end: 0 }, reliable: [], unreliable: [], reliableBytes: reliableShare * bytes, steps };
    }),
  );
}

/** Concave over the ladder, 1 at its top. */
function scoreOf(level: number): number {
  return 1 - 0.2 * (1 - level / (THESIS_BITRATES.length - 1)) ** 2;
}
