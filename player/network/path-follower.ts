import type { ThroughputEstimator } from '../../src/abr-star/index.js';
import type { PathReport } from '../../src/voxel-loader/types.js';
import type { PathEvent } from '../api/types.js';

/** Follows the paths of a session: tells of those that come and go, and what that does to the link. */
export class PathFollower {
  paths: readonly PathReport[] = [];
  /** What was last told, by URL. */
  #told = new Map<string, PathEvent['state']>();
  /** Those that are open, and known: by URL, bit/s. */
  #rates = new Map<string, number>();

  constructor(
    private readonly throughput: Pick<ThroughputEstimator, 'scale'>,
    private readonly emit: (event: PathEvent) => void,
  ) {}

  update(paths: readonly PathReport[]): void {
    this.paths = paths;
    this.#rebase(paths);
    for (const { url, state, error } of paths) {
      // That it is being tried again is no news.
      if (state === 'opening' || this.#told.get(url) === state) continue;
      this.#told.set(url, state);
      this.emit({ url, state, code: error?.code, message: error?.message });
    }
  }

  /** The link is all paths that are open: with the estimate as it was, rules would go on counting on one that is gone. */
  #rebase(paths: readonly PathReport[]): void {
    const cheapest = Math.min(...paths.map(({ cost }) => cost));
    const usual = paths.filter(({ state, cost, rate }) => state === 'open' && cost === cheapest && rate !== undefined);
    const rates = new Map(usual.map(({ url, rate }) => [url, rate!]));
    const [before, after] = [this.#rates, rates];
    this.#rates = rates;
    const isSame = before.size === after.size && [...before.keys()].every((url) => after.has(url));
    if (isSame || before.size === 0 || after.size === 0) return;
    // What came and went meanwhile, by the same measure.
    const known = new Map([...before, ...after]);
    const sum = (urls: Iterable<string>): number => [...urls].reduce((total, url) => total + known.get(url)!, 0);
    this.throughput.scale(sum(after.keys()) / sum(before.keys()));
  }
}
