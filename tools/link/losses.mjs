// @ts-check

/** ms without a packet that count as one: a sender that tries with a packet a second meets another burst, if any. */
const IDLE_STEP = 100;

/**
 * Which packets a link loses: `percent` of them, independently of each other, or in bursts of `meanBurst` on average (Gilbert and
 * Elliott's chain with two states, as the emulator of the trials has it: lab/link/README.md).
 * @param {{ percent: number, meanBurst?: number }} loss @param {() => number} random uniform in [0, 1)
 * @returns {(now: number) => boolean} whether the packet that arrives `now` (ms) is lost
 * Throws a `RangeError` for a share that would leave no packet between two bursts.
 */
export function lossPattern({ percent, meanBurst = 1 }, random) {
  const share = percent / 100;
  if (meanBurst <= 1) return () => random() < share;
  const most = (100 * meanBurst) / (meanBurst + 1);
  if (percent > most) throw new RangeError(`bursts of ${meanBurst} lose at most ${most} %, got ${percent}`);
  const ends = 1 / meanBurst;
  const begins = (ends * share) / (1 - share);
  let isBad = random() < share;
  let last = 0;
  return (now) => {
    for (let idle = Math.floor((now - last) / IDLE_STEP); idle > 0; idle--) isBad = step(isBad);
    last = now;
    isBad = step(isBad);
    return isBad;
  };

  /** @param {boolean} state */
  function step(state) {
    return state ? random() >= ends : random() < begins;
  }
}
