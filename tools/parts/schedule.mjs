// @ts-check

/**
 * Runs `work` for every item, at most `lanes` at a time in their order, then for the serial ones, one after the other.
 * @template {{ serial?: boolean }} Item
 * @param {readonly Item[]} items @param {number} lanes @param {(item: Item) => Promise<void>} work @returns {Promise<void>}
 */
export async function inLanes(items, lanes, work) {
  const waiting = items.filter(({ serial }) => !serial);
  const lane = async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  for (const item of items) if (item.serial) await work(item);
}
