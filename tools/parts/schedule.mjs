// @ts-check

/**
 * Runs `work` for every item: one after the other those that play, in a lane of their own; beside them at most `lanes` of the others;
 * then, one after the other, the serial ones. All in their order.
 * @template {{ plays?: boolean, serial?: boolean }} Item
 * @param {readonly Item[]} items @param {number} lanes @param {(item: Item) => Promise<void>} work @returns {Promise<void>}
 */
export async function inLanes(items, lanes, work) {
  /** @param {Item[]} waiting */
  const lane = async (waiting) => {
    for (let item = waiting.shift(); item; item = waiting.shift()) await work(item);
  };
  const playing = items.filter(({ plays, serial }) => plays && !serial);
  const others = items.filter(({ plays, serial }) => !plays && !serial);
  await Promise.all([lane(playing), ...Array.from({ length: lanes }, () => lane(others))]);
  await lane(items.filter(({ serial }) => serial));
}
