import { totalBytes, type ByteRange } from '../../../src/manifest/byte-range.js';
import { IntervalSet } from '../../../src/manifest/interval-set.js';
import {
  AT_EASE,
  without,
  type Dealt,
  type PathLink,
  type Schedule,
  type UnderWay,
} from '../../../src/delivery/schedule.js';
import { sum } from '../report/statistics.js';
import type { PathSession } from './path-session.js';

/** Seconds between two looks at the paths. */
const STEP = 0.02;

/** Share of the bytes that may be asked for twice. */
const REPEATABLE = 0.02;

/** A session that has played for so many times its video's duration is given up. */
const PATIENCE = 20;

/** What is played: one level. */
export interface Video {
  /** Bytes of each segment. */
  readonly sizes: readonly number[];
  /** Share of them that comes first and must come. */
  readonly reliable: number;
  /** Seconds of a segment; 0: nothing is played, all is fetched as fast as it comes. */
  readonly segmentDuration: number;
  /** Segments that the buffer holds, with one more on its way. */
  readonly buffer: number;
}

/** What became of it. Seconds and bytes. */
export interface BundlePlayback {
  /** Seconds of every segment, from the first request for it until it was whole. */
  readonly segmentSeconds: readonly number[];
  /** Since the beginning: when it was. */
  readonly wholeAt: readonly number[];
  /** Start-up and stalls together. */
  readonly waited: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly repeated: number;
  /** Bytes of each path. */
  readonly bytesOf: readonly number[];
}

/** A part of a segment over a path. */
export interface Piece extends UnderWay {
  readonly segment: number;
  readonly isRepeat: boolean;
}

interface Segment {
  readonly length: number;
  readonly reliableLength: number;
  left: readonly ByteRange[];
  underWay: readonly Piece[];
  readonly here: IntervalSet;
  askedAt: number | undefined;
  wholeAt: number | undefined;
}

/** Plays a video over sessions with a service's addresses, dealt out by a schedule of the player's. Everything travels on streams. */
export function playBundle(sessions: readonly PathSession<Piece>[], schedule: Schedule, video: Video): BundlePlayback {
  const run = new Run(sessions, schedule, video);
  const limit = video.segmentDuration === 0 ? Infinity : PATIENCE * video.segmentDuration * video.sizes.length;
  while (!run.isWhole && run.now < limit) run.step();
  return run.result();
}

class Run {
  now = 0;
  readonly #sessions: readonly PathSession<Piece>[];
  readonly #schedule: Schedule;
  readonly #video: Video;
  readonly #segments: Segment[];
  readonly #bytesOf: number[];
  #repeated = 0;
  /** Segments before this one are whole. */
  #first = 0;
  /** Seconds of video that have been played, and that were waited. */
  #played = 0;
  #waited = 0;

  constructor(sessions: readonly PathSession<Piece>[], schedule: Schedule, video: Video) {
    this.#sessions = sessions;
    this.#schedule = schedule;
    this.#video = video;
    this.#bytesOf = sessions.map(() => 0);
    this.#segments = video.sizes.map((size) => {
      const length = Math.round(size);
      return {
        ...{ length, reliableLength: Math.ceil(length * video.reliable), left: [{ start: 0, end: length }] },
        ...{ underWay: [], here: new IntervalSet(), askedAt: undefined, wholeAt: undefined },
      };
    });
  }

  get isWhole(): boolean {
    return this.#first === this.#segments.length;
  }

  step(): void {
    this.#deal();
    this.now += STEP;
    this.#sessions.forEach((session, path) => {
      for (const { piece, bytes, at } of session.advance(this.now)) this.#come(piece, { path, bytes, at });
    });
    this.#play();
  }

  result(): BundlePlayback {
    const took = ({ askedAt = 0, wholeAt = this.now }: Segment) => wholeAt - askedAt;
    return {
      segmentSeconds: this.#segments.map(took),
      wholeAt: this.#segments.map(({ wholeAt = this.now }) => wholeAt),
      waited: this.#waited,
      seconds: Math.max(...this.#segments.map(({ wholeAt = this.now }) => wholeAt)),
      bytes: sum(this.#bytesOf),
      repeated: this.#repeated,
      bytesOf: this.#bytesOf,
    };
  }

  /** Segments in turn: with little in the buffer the next gets nothing while something of the one before is not asked for. */
  #deal(): void {
    let before = 0;
    for (let index = this.#first; index < this.#segments.length && this.#isWanted(index); index++) {
      const segment = this.#segments[index]!;
      if (segment.wholeAt !== undefined) continue;
      const { left, reliableLength, underWay } = segment;
      const repeatable = REPEATABLE * sum(this.#bytesOf) - this.#repeated;
      const work = { reliableLength, left, before, underWay, buffer: this.#buffer, repeatable };
      for (const dealt of this.#schedule(work, this.#links())) this.#ask(dealt, segment, index);
      if (segment.left.length > 0 && this.#buffer <= AT_EASE) return;
      before += totalBytes(segment.left);
    }
  }

  #ask({ path, start, end, isRepeat }: Dealt, segment: Segment, index: number): void {
    segment.askedAt ??= this.now;
    const piece: Piece = { start, end, path, isRepeat, isRepeated: isRepeat, segment: index };
    if (isRepeat) {
      this.#repeated += end - start;
      const isSame = (one: Piece) => one.start === start && one.end === end;
      segment.underWay = segment.underWay.map((one) => (isSame(one) ? { ...one, isRepeated: true } : one));
    } else segment.left = without(segment.left, piece);
    segment.underWay = [...segment.underWay, piece];
    this.#sessions[path]!.ask({ piece, bytes: end - start });
  }

  #come({ segment: index, start, end }: Piece, came: { path: number; bytes: number; at: number }): void {
    const segment = this.#segments[index]!;
    this.#bytesOf[came.path]! += came.bytes;
    segment.here.add(start, end);
    segment.underWay = segment.underWay.filter((piece) => !segment.here.contains(piece.start, piece.end));
    if (!segment.here.contains(0, segment.length)) return;
    segment.wholeAt ??= came.at;
    while (this.#segments[this.#first]?.wholeAt !== undefined) this.#first++;
  }

  #play(): void {
    const { segmentDuration } = this.#video;
    if (segmentDuration === 0 || this.#played >= segmentDuration * this.#segments.length) return;
    const possible = Math.min(STEP, Math.max(0, this.#inOrder() * segmentDuration - this.#played));
    this.#played += possible;
    this.#waited += STEP - possible;
  }

  /** Segments that can be played one after the other. */
  #inOrder(): number {
    let count = this.#first;
    // What was repeated on its path can be used later than it came.
    while (count > 0 && this.#segments[count - 1]!.wholeAt! > this.now) count--;
    return count;
  }

  get #buffer(): number {
    const { segmentDuration } = this.#video;
    return segmentDuration === 0 ? Infinity : this.#inOrder() * segmentDuration - this.#played;
  }

  /** Whether the buffer has room for it. */
  #isWanted(index: number): boolean {
    const { segmentDuration, buffer } = this.#video;
    return segmentDuration === 0 || index * segmentDuration - this.#played < buffer * segmentDuration;
  }

  #links(): PathLink[] {
    return this.#sessions.map(({ rate, roundTrip, queued, silence, window, cost }, id) => ({
      ...{ id, rate, roundTrip, queued, silence, window, cost },
      ...{ lossRate: 0, setup: 0 },
    }));
  }
}
