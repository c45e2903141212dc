import type { DeliveredChunk } from '../../../src/voxel-loader/types.js';
import type { FragmentRequest, LoaderRequest } from '../dash-types.js';

/** Seconds behind the target from which on what an outage has cost is jumped over: a start and what catch-up has not made good yet are less. */
const LEAST_DRIFT = 1.5;

/** From so many on what is whole is, too, and what is in the buffer: catch-up would take minutes. */
const MOST_DRIFT = 6;

/** Seconds of buffer with which there is nothing to gain yet by what is cut. */
const MOST_AHEAD = 0.5;

/** Seconds further behind than the target where it goes on: an outage seldom comes alone. Catch-up makes that good. */
const RESERVE = 1;

/** Seconds into the first picture of a segment: times of segments are rounded. */
const INTO_SEGMENT = 0.01;

/** Seconds: elements round what is asked for, and may play a little before they say that they seek. */
const SEEK_TOLERANCE = 0.1;

/** Milliseconds for the answer whether a segment is there: after them it is the link that is late, not the encoder, if a chunk has come. */
const LONGEST_QUESTION = 500;

/** Where a live playback is, in seconds. */
export interface LivePosition {
  /** Behind the capture, and how much is asked for. */
  readonly latency: number;
  readonly target: number;
  /** Seconds in the buffer. */
  readonly ahead: number;
}

/** A chunk that was handed over. */
export type CutChunk = Pick<DeliveredChunk, 'bytesUnreliable' | 'bytesUnsent'>;

/** How a segment is asked for, with what the page adds. */
export type SegmentRequest = Pick<LoaderRequest, 'url' | 'headers' | 'credentials'>;

/** Whose chunk it is: all segments are as long, one behind the other. */
export interface JumpSegment extends Pick<FragmentRequest, 'startTime' | 'duration'> {
  readonly request: SegmentRequest;
}

export type JumpingElement = Pick<HTMLMediaElement, 'currentTime' | 'paused' | 'seeking'>;

export interface EdgeJumpOptions {
  readonly element: () => JumpingElement | undefined;
  /** Undefined before playback. */
  readonly position: () => LivePosition | undefined;
  /** False: the page wants to stay where it is. */
  readonly isWanted: () => boolean;
  /** Whether there is a file: an encoder that is late has not made it yet. */
  readonly isThere: (request: SegmentRequest) => Promise<boolean>;
}

/**
 * Has playback go on near the live edge after an outage. Of what was captured during that a server has left out what would have come too late,
 * a picture a second is left: playing that would take as long as the outage, which the viewer has waited for already. And whoever is seconds
 * behind stays so for minutes, also where all of it comes over HTTP as the outage has ended the session. A viewer who went back on purpose
 * stays there.
 */
export class EdgeJump {
  /** Whether playback has been near its target since the viewer chose the place. */
  #wasNear = false;
  /** Seconds on the presentation's time line, as the next. */
  #jumpedTo = NaN;
  #lastTime = NaN;
  #isAsking = false;

  constructor(private readonly options: EdgeJumpOptions) {}

  /** Looks where playback is, now and then. */
  look(): void {
    const { latency, target } = this.options.position() ?? { latency: NaN, target: 0 };
    const element = this.options.element();
    // Whoever has just paused is near the target for another second, and stays there. At time 0 dash.js says 0 wherever the edge is.
    if (element?.paused === false && latency > 0 && latency - target < LEAST_DRIFT) this.#wasNear = true;
    // An element is elsewhere before it says so.
    if (element?.seeking === false) this.#lastTime = element.currentTime;
  }

  /** Playback goes on elsewhere: after a jump, because the viewer wants it, or a little further on where dash.js goes over a gap. */
  seeking(): void {
    const time = this.options.element()?.currentTime ?? NaN;
    const isJump = Math.abs(time - this.#jumpedTo) < SEEK_TOLERANCE;
    if (!isJump && !(time >= this.#lastTime)) this.leave();
  }

  /** The viewer pauses, or another presentation plays. */
  leave(): void {
    this.#wasNear = false;
  }

  /** A chunk of that segment has come, or dash.js asks for it: jumps if that is better. */
  async consider(segment: JumpSegment, chunk?: CutChunk): Promise<void> {
    const place = this.#isAsking ? undefined : this.#placeFor(segment, chunk);
    const request = place === undefined ? undefined : requestAt(place, segment);
    if (place === undefined || !request) return;
    this.#isAsking = true;
    const isThere = await Promise.race([
      this.options.isThere(request),
      new Promise((resolve) => setTimeout(resolve, LONGEST_QUESTION, chunk !== undefined)),
    ]);
    this.#isAsking = false;
    // Meanwhile more may have come, or the viewer has gone elsewhere.
    if (!isThere || this.#placeFor(segment, chunk) === undefined) return;
    this.#jumpedTo = place;
    this.options.element()!.currentTime = place;
  }

  /** Undefined: no jump is due. */
  #placeFor({ startTime, duration }: JumpSegment, chunk: CutChunk | undefined): number | undefined {
    const { element: elementOf, position: positionOf, isWanted } = this.options;
    const [element, position] = [elementOf(), positionOf()];
    if (!this.#wasNear || !position || !element || element.seeking || element.paused || !isWanted()) return undefined;
    const { latency, target, ahead } = position;
    const { bytesUnreliable, bytesUnsent } = chunk ?? { bytesUnreliable: 0, bytesUnsent: 0 };
    const isCut = bytesUnsent > 0 && 2 * bytesUnsent >= bytesUnreliable;
    const drift = latency - target;
    if (drift < MOST_DRIFT && !(isCut && drift >= LEAST_DRIFT && ahead <= MOST_AHEAD)) return undefined;
    const behind = element.currentTime + drift - RESERVE - startTime;
    return startTime + Math.floor(behind / duration) * duration + INTO_SEGMENT;
  }
}

/** Asks for the segment there, by how another one was, numbered as `voxel-live` does; undefined: it is numbered otherwise. */
function requestAt(place: number, { startTime, duration, request }: JumpSegment): SegmentRequest | undefined {
  const steps = Math.floor((place - startTime) / duration);
  const [, before, number, after] = /^([^?]*\/)(\d+)(\.m4s(?:\?.*)?)$/.exec(request.url) ?? [];
  return number === undefined ? undefined : { ...request, url: `${before}${Number(number) + steps}${after}` };
}
