/** A picture that a player has shown. */
export interface Shown {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Its time in the video, in seconds. */
  readonly time: number;
}

/** What a fault did to a playback. */
export interface Recovery {
  /** Seconds from the end of the fault until pictures move for good: 0 where they never stood after it, infinite where they do not. */
  readonly back: number;
  /** Seconds in which they stood, from the beginning of the fault on. */
  readonly stood: number;
  /** When that was, in seconds after the end of the fault. */
  readonly standstills: readonly (readonly [from: number, to: number])[];
  /** Seconds of the video that were shown in a second, at last. */
  readonly speed: number;
}

/** Pictures move where so many are shown within that many milliseconds before and after: stills come once a second. */
const MOVING = { pictures: 8, within: 500 };

/** Milliseconds without a moving picture in which they stand: a busy machine leaves some out. */
const STANDS = 1000;

/** Milliseconds at the end that the speed is taken of. */
const SPEED_SPAN = 5000;

/** All pictures that were shown, in order, up to `now`; `fault` and `now` in milliseconds since 1970. */
export function recovery(
  shown: readonly Shown[],
  fault: { readonly begin: number; readonly end: number },
  now: number,
): Recovery {
  const moving = shown.filter((_, place) => moves(shown, place)).map(({ at }) => at);
  const moments = [fault.begin, ...moving.filter((at) => at > fault.begin && at < now), now];
  const gaps = moments.slice(1).map((to, place) => ({ from: moments[place]!, to }));
  const standing = gaps.filter(({ from, to }) => to - from > STANDS);
  const late = standing.filter(({ to }) => to > fault.end).at(-1);
  return {
    back: late === undefined ? 0 : late.to === now ? Infinity : (late.to - fault.end) / 1000,
    stood: standing.reduce((sum, { from, to }) => sum + to - from, 0) / 1000,
    standstills: standing.map(({ from, to }) => [(from - fault.end) / 1000, (to - fault.end) / 1000]),
    speed: speedOf(shown.filter(({ at }) => at > now - SPEED_SPAN)),
  };
}

function moves(shown: readonly Shown[], place: number): boolean {
  const { at } = shown[place]!;
  const isNear = (other: Shown | undefined): boolean => other !== undefined && Math.abs(other.at - at) <= MOVING.within;
  let [first, last] = [place, place];
  while (isNear(shown[first - 1])) first--;
  while (isNear(shown[last + 1])) last++;
  return last - first >= MOVING.pictures;
}

function speedOf(shown: readonly Shown[]): number {
  const [first, last] = [shown[0], shown.at(-1)];
  return first && last && last.at > first.at ? (1000 * (last.time - first.time)) / (last.at - first.at) : 0;
}
