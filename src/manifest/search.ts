/** The first index for which `isReached` holds, as it does for all that follow; `count` where it holds for none (binary search). */
export function search(count: number, isReached: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
