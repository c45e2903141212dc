import { linkRate, type DecisionState, type Dispersion, type LiveState, type Option } from '../abr-star/index.js';
import { dueTime, whilePlaying, type Playhead } from './piece-queue.js';

/** Chunks that rules look back on. */
const CHUNKS_KEPT = 32;

/** Milliseconds that a chunk may take while nothing is known: for a target of half a second. */
const FIRST_SLACK_MS = 200;

/** A chunk that is late already still gets as many: its frames are worth more than a pause of the link. */
const LEAST_DEADLINE_MS = 50;

/** Share of the bytes lost from which on a key frame, some fifty packets, hardly ever comes without a repeat. */
const LOSSY = 0.005;

/** How often it may be sent again where losses are the rule: what is repeated is lost, too. */
const REPEATS = 2;

/** Losses count that much less with each chunk: a burst of ten packets for some five seconds. */
const MEMORY = 0.99;

/** Seconds after the capture of a segment's last picture in which its last chunk is still being made. */
const ENCODING_SECONDS = 0.5;

/** Shares of a segment's bytes that are reliable, and in its first picture, while nothing is known of it. */
const RELIABLE_SHARE = 0.25;
const KEY_FRAME_SHARE = 0.15;

/** Share of the score that the unreliable bytes are worth that a representation with e times the bitrate gains. */
const GAIN = 0.05;

/** Scores of the first representation: only differences count. */
const UNKNOWN_SCORES = { wholeScore: 1, reliableScore: 0.7 };

/** What a chunk that was handed over says. */
export interface LiveChunkFacts {
  readonly number: number;
  readonly range: { readonly start: number; readonly end: number };
  readonly wholeScore: number;
  readonly reliableScore: number;
  readonly bytesReliable: number;
  readonly bytesUnreliable: number;
  readonly bytesUnsent: number;
  readonly bytesLost: number;
  readonly bytesRepeated: number;
  readonly dispersion: Dispersion | undefined;
  /** Milliseconds. */
  readonly slack: number | undefined;
  readonly roundTrip: number | undefined;
  /** Bytes. */
  readonly window: number | undefined;
}

/** A rung of a live ladder. */
export interface LiveRung {
  readonly key: string;
  /** Bit/s. */
  readonly bitrate: number;
}

interface Known {
  readonly bitrate: number;
  wholeScore: number;
  reliableScore: number;
  /** Bytes of the segment that is under way, or was last. */
  reliable: number;
  all: number;
  keyFrame: number;
}

/** What the chunks of a live stream have told, for the rule that chooses the next segment's representation. Times in ms on one clock. */
export class LiveLink {
  #dispersions: readonly Dispersion[] = [];
  #slacks: readonly number[] = [];
  #windowRate: number | undefined;
  #roundTrip = 0;
  /** Bytes lost of late, beyond those that are no reason to be careful. */
  #losses = 0;
  #lastUnsent: number;
  readonly #known = new Map<string, Known>();

  constructor(now: number) {
    this.#lastUnsent = now;
  }

  /** A chunk of that representation was handed over. */
  add({ key, bitrate }: LiveRung, chunk: LiveChunkFacts, now: number): void {
    const { dispersion, slack, roundTrip, window, wholeScore, reliableScore } = chunk;
    const { bytesReliable, bytesUnreliable, bytesUnsent, bytesLost, bytesRepeated } = chunk;
    if (dispersion) this.#dispersions = [...this.#dispersions, dispersion].slice(-CHUNKS_KEPT);
    if (slack !== undefined) this.#slacks = [...this.#slacks, slack].slice(-CHUNKS_KEPT);
    const sent = bytesReliable + bytesUnreliable - bytesUnsent;
    this.#losses = MEMORY * this.#losses + bytesLost + bytesRepeated - LOSSY * sent;
    this.#roundTrip = roundTrip ?? this.#roundTrip;
    if (roundTrip && window !== undefined) this.#windowRate = (8000 * window) / roundTrip;
    if (bytesUnsent > 0) this.#lastUnsent = now;
    const known = this.#known.get(key);
    const before = chunk.number > 0 && known ? known : { reliable: 0, all: 0, keyFrame: bytesReliable };
    // A key frame alone does not say what a segment is worth without the other frames.
    const isReliable = bytesUnreliable + bytesUnsent + bytesLost === 0;
    this.#known.set(key, {
      bitrate,
      wholeScore,
      reliableScore: isReliable && known ? known.reliableScore : reliableScore,
      reliable: before.reliable + bytesReliable,
      all: before.all + chunk.range.end - chunk.range.start,
      keyFrame: before.keyFrame,
    });
  }

  /** Bit/s that the link carries; undefined: not known. */
  get rate(): number | undefined {
    return linkRate({ dispersions: this.#dispersions, windowRate: this.#windowRate });
  }

  /** Milliseconds that a server has for the frames of a chunk. */
  get deadline(): number {
    const sorted = [...this.#slacks].sort((a, b) => a - b);
    return Math.max(LEAST_DEADLINE_MS, sorted[Math.floor(sorted.length / 2)] ?? FIRST_SLACK_MS);
  }

  /**
   * The same for each chunk of a segment; undefined: as many as it takes. Of one that was captured long ago all chunks are there, so time
   * counts from the request, until the last of them is due. `edge`: until where there are pictures, in s.
   */
  deadlineOf(
    { startTime, duration }: { readonly startTime: number; readonly duration: number },
    { edge, playhead, now }: { readonly edge: number; readonly playhead: Playhead | undefined; readonly now: number },
  ): number | undefined {
    const end = startTime + duration;
    if (end + ENCODING_SECONDS > edge) return Math.round(this.deadline);
    const playing = whilePlaying(playhead);
    return playing && Math.round(Math.max(LEAST_DEADLINE_MS, dueTime(end, playing) - now));
  }

  /** Playback goes on elsewhere: how early chunks came so far says nothing of those to come. */
  seek(): void {
    this.#slacks = [];
  }

  /** Everything that a rule may look at. `ladder` is ascending in bitrate; `last`: the key of the representation chosen last. */
  state(
    ladder: readonly LiveRung[],
    moment: Pick<DecisionState, 'segmentIndex' | 'segmentDuration' | 'bufferLevel'> & {
      readonly last: string | undefined;
      readonly now: number;
    },
  ): DecisionState {
    const { segmentIndex, segmentDuration, bufferLevel, last, now } = moment;
    const described = ladder.map((rung, index) => this.#describe(rung, index, segmentDuration));
    const options = described.flatMap(({ options }) => options);
    const lastChoice = options.findLast(({ representation }) => ladder[representation]!.key === last);
    // Milliseconds that it takes to send again what is lost of a key frame; 0 where hardly anything is.
    const repeats = this.#losses > 0 ? REPEATS * this.#roundTrip : 0;
    const live: LiveState = {
      dispersions: this.#dispersions,
      windowRate: this.#windowRate,
      keyFrameBytes: described.map(({ keyFrameBytes }) => keyFrameBytes),
      slack: Math.max(0, this.deadline - repeats) / 1000,
      secondsWithoutUnsent: (now - this.#lastUnsent) / 1000,
    };
    return {
      segmentIndex,
      segmentDuration,
      bufferLevel,
      bufferCapacity: segmentDuration,
      throughput: undefined,
      samples: [],
      lastChoice,
      ladder: ladder.map(({ bitrate }, index) => ({ bitrate, averageScore: options[2 * index + 1]!.score })),
      options,
      live,
    };
  }

  /** Describes a representation by its own chunks or, where none has come, by those of the representation that is nearest in bitrate. */
  #describe(
    { key, bitrate }: LiveRung,
    representation: number,
    seconds: number,
  ): { options: Option[]; keyFrameBytes: number } {
    const distance = (known: Known): number => Math.abs(Math.log(known.bitrate / bitrate));
    const nearest = [...this.#known.values()].reduce<Known | undefined>(
      (best, known) => (best && distance(best) <= distance(known) ? best : known),
      undefined,
    );
    const like = this.#known.get(key) ?? nearest;
    const bytesAt = (rate: number): number => (rate * seconds) / 8;
    const bytes = Math.round(bytesAt(bitrate));
    // Its first chunk, a key frame, is no whole segment yet.
    const share = (part: number | undefined, other: number): number =>
      Math.round(bytes * (like ? part! / Math.max(like.all, bytesAt(like.bitrate)) : other));
    const { wholeScore, reliableScore } = like ?? UNKNOWN_SCORES;
    const gain = GAIN * (wholeScore - reliableScore) * Math.log(bitrate / (like?.bitrate ?? 1e6));
    const reliableBytes = share(like?.reliable, RELIABLE_SHARE);
    const option = { representation, reliableBytes };
    return {
      options: [
        { ...option, level: 0, score: reliableScore + gain, bytes: reliableBytes },
        { ...option, level: 1, score: wholeScore + gain, bytes },
      ],
      keyFrameBytes: share(like?.keyFrame, KEY_FRAME_SHARE),
    };
  }
}
