// @ts-check

/** ms without a packet that count as one: a sender that tries with a packet a second meets another burst, if any. */
const IDLE_STEP = 100;

/**
 * How a link loses packets: `percent` of them, independently of each other, or in bursts of `meanBurst` on average.
 * @typedef {{ percent: number, meanBurst?: number | undefined }} Loss
 */

/**
 * Which packets a link loses (Gilbert and Elliott's chain with two states, as the emulator of the trials has it: lab/link/README.md).
 * @param {Loss | ((now: number) => Loss)} loss its own at every time, ms
 * @param {() => number} random uniform in [0, 1)
 * @returns {(now: number) => boolean} whether the packet that arrives `now` (ms) is lost
 * Throws a `RangeError` for a share that would leave no packet between two bursts.
 */
export function lossPattern(loss, random) {
  const chainAt =
    typeof loss === 'function' ? (/** @type {number} */ now) => chainOf(loss(now)) : constant(chainOf(loss));
  /** @type {boolean | undefined} */
  let wasLost;
  let last = 0;
  return (now) => {
    const { share, begins, goesOn } = chainAt(now);
    const expected = wasLost === undefined ? share : wasLost ? goesOn : begins;
    // What each pause leaves of the difference from the mean: the chain's second eigenvalue.
    const memory = (goesOn - begins) ** Math.floor((now - last) / IDLE_STEP);
    last = now;
    wasLost = random() < share + memory * (expected - share);
    return wasLost;
  };
}

/** @template Value @param {Value} value */
const constant = (value) => () => value;

/** Probabilities that a packet is lost: any, one after a packet that came, one after a lost one. @param {Loss} loss */
function chainOf({ percent, meanBurst }) {
  const share = percent / 100;
  // Where nothing is lost no burst of the time before goes on.
  if (meanBurst === undefined || share === 0) return { share, begins: share, goesOn: share };
  const most = (100 * meanBurst) / (meanBurst + 1);
  if (percent > most) throw new RangeError(`bursts of ${meanBurst} lose at most ${most} %, got ${percent}`);
  const ends = 1 / meanBurst;
  return { share, begins: Math.min(1, (ends * share) / (1 - share)), goesOn: 1 - ends };
}
