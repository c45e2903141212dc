// @ts-check

/**
 * Runs `work` for every item, all in their order: in a lane of their own those that play, one after the other, then the serial ones; beside
 * them at most `lanes` of the others, and one of those that give way, or, once there are no others, as many of those. Beside serial ones run
 * only those that give way.
 * @template {{ plays?: boolean, serial?: boolean, givesWay?: boolean }} Item
 * @param {readonly Item[]} items @param {number} lanes @param {(item: Item) => Promise<void>} work @returns {Promise<void>}
 */
export async function inLanes(items, lanes, work) {
  /** @param {Item[]} waiting */
  const lane = async (waiting) => {
    for (let item = waiting.shift(); item; item = waiting.shift()) await work(item);
  };
  const serial = items.filter((item) => item.serial);
  const playing = items.filter((item) => item.plays && !item.serial);
  const patient = items.filter((item) => item.givesWay);
  const others = items.filter((item) => !item.plays && !item.serial && !item.givesWay);
  const played = lane(playing);
  const busy = Promise.all(Array.from({ length: lanes }, () => lane(others)));
  const inTurn = Promise.all([played, busy]).then(() => lane(serial));
  const afterwards = Array.from({ length: lanes - 1 }, () => busy.then(() => lane(patient)));
  await Promise.all([inTurn, lane(patient), ...afterwards]);
}
