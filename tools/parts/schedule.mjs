// @ts-check

/**
 * Runs `work` for every item, all in their order: in a lane of their own those that play, one after the other, then the serial ones; beside
 * them at most `lanes` of the others. Beside serial ones run only those that give way.
 * @template {{ plays?: boolean, serial?: boolean, givesWay?: boolean }} Item
 * @param {readonly Item[]} items @param {number} lanes @param {(item: Item) => Promise<void>} work @returns {Promise<void>}
 */
export async function inLanes(items, lanes, work) {
  /** @param {Item[]} waiting @param {(item: Item) => Promise<void>} run */
  const lane = async (waiting, run) => {
    for (let item = waiting.shift(); item; item = waiting.shift()) await run(item);
  };
  const serial = items.filter((item) => item.serial);
  const playing = items.filter((item) => item.plays && !item.serial);
  const others = items.filter((item) => !item.plays && !item.serial);
  const disturbing = new Set(others.filter(({ givesWay }) => !givesWay));
  /** @type {() => void} */
  let calm = () => {};
  /** @type {Promise<void>} */
  const untilCalm = new Promise((resolve) => (calm = resolve));
  if (disturbing.size === 0) calm();
  const beside = async (/** @type {Item} */ item) => {
    await work(item);
    disturbing.delete(item);
    if (disturbing.size === 0) calm();
  };
  const inTurn = async () => {
    await lane(playing, work);
    await untilCalm;
    await lane(serial, work);
  };
  await Promise.all([inTurn(), ...Array.from({ length: lanes }, () => lane(others, beside))]);
}
