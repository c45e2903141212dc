/** Seconds behind the target from which on what an outage has cost is jumped over: a start and what catch-up has not made good yet are less. */
const LEAST_DRIFT = 1.5;

/** From so many on what is whole is, too: catch-up would take minutes. */
const MOST_DRIFT = 6;

/** Seconds of buffer with which there is nothing to gain yet. */
const MOST_AHEAD = 0.5;

/** Seconds further behind than the target where it goes on: an outage seldom comes alone. Catch-up makes that good. */
const RESERVE = 1;

/** Seconds into the first picture of a segment: times of segments are rounded. */
const INTO_SEGMENT = 0.01;

/** Where a live playback is, in seconds. */
export interface LivePosition {
  /** Behind the capture, and how much is asked for. */
  readonly latency: number;
  readonly target: number;
  /** Of the buffer. */
  readonly ahead: number;
}

/** A chunk that was handed over. */
export interface CutChunk {
  readonly bytesUnreliable: number;
  /** Of those. */
  readonly bytesUnsent: number;
}

/**
 * Says when playback had better go on near the live edge, with nothing left to play. Of what was captured during an outage a server has
 * left out what would have come too late, a picture a second is left: playing that would take as long as the outage, which the viewer
 * has waited for already. And whoever is seconds behind stays so for minutes. A viewer who went back on purpose stays there.
 */
export class EdgeJump {
  /** Whether playback has been near its target since the viewer chose the place. */
  #wasNear = false;

  /** Looks where playback is, now and then. */
  look({ latency, target }: Pick<LivePosition, 'latency' | 'target'>): void {
    if (latency - target < LEAST_DRIFT) this.#wasNear = true;
  }

  /** The viewer goes elsewhere, or pauses. */
  leave(): void {
    this.#wasNear = false;
  }

  /** Whether to jump now that this chunk has come. */
  isDue({ bytesUnreliable, bytesUnsent }: CutChunk, { latency, target, ahead }: LivePosition): boolean {
    const isCut = bytesUnsent > 0 && 2 * bytesUnsent >= bytesUnreliable;
    const drift = latency - target;
    return this.#wasNear && ahead <= MOST_AHEAD && drift >= (isCut ? LEAST_DRIFT : MOST_DRIFT);
  }
}

/**
 * Where to jump to: the start of a segment, all of which is there. `atTarget`: what would be played without delay, on the time line of
 * the segments, which are as long as the one given, one behind the other.
 */
export function placeNear(atTarget: number, { startTime, duration }: { startTime: number; duration: number }): number {
  return startTime + Math.floor((atTarget - RESERVE - startTime) / duration) * duration + INTO_SEGMENT;
}

/** The address of the segment there, by that of another one, numbered as `voxel-live` does; undefined: it is numbered otherwise. */
export function urlAt(
  place: number,
  { startTime, duration, url }: { startTime: number; duration: number; url: string },
): string | undefined {
  const steps = Math.floor((place - startTime) / duration);
  const numbered = /^(.*\/)(\d+)(\.m4s)$/.exec(url);
  return numbered ? `${numbered[1]}${Number(numbered[2]) + steps}${numbered[3]}` : undefined;
}
