import { loadTime } from './load.js';
import { pages } from './pages.js';
import { POLICIES } from './policies.js';
import { scenarios } from './scenarios.js';

/** What all others are compared with: what devices do that know a WLAN and a mobile network (thesis §3.5.3). */
export const BASELINE = 'interface-1';

/** One page in one scenario, with every policy. */
export interface PageLoad {
  readonly page: string;
  readonly class: string;
  readonly group: string;
  /** Seconds by policy. */
  readonly seconds: Readonly<Record<string, number>>;
}

export interface PageExperiment {
  /** Generated pages besides the handcrafted ones. */
  readonly pages: number;
  readonly seed: number;
}

/** Every page in every scenario with every policy. The same experiment gives the same times. */
export function runPages(
  { pages: count, seed }: PageExperiment,
  onProgress: (done: number, total: number) => void = () => undefined,
): PageLoad[] {
  const all = pages(count, seed);
  const each = scenarios();
  return all.flatMap((page, index) => {
    const loads = each.map(({ paths, group }): PageLoad => {
      const seconds = Object.entries(POLICIES).map(
        ([name, policy]) => [name, loadTime(page.objects, paths, policy(seed))] as const,
      );
      return { page: page.name, class: page.class, group, seconds: Object.fromEntries(seconds) };
    });
    onProgress(index + 1, all.length);
    return loads;
  });
}
