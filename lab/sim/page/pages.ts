import { derivedSeed, seededRandom, type Random } from '../random.js';
import type { Page, WebObject } from './load.js';

/** A page of the workload. Pages of a class stand together in the tables. */
export interface NamedPage {
  readonly name: string;
  readonly class: string;
  readonly objects: Page;
}

const KB = 1000;

/** Handcrafted pages (thesis §3.4.3): 2 to 64 objects of 1 KB to 1 MB, on one host, all asked for at once. */
const COUNTS = [2, 8, 32, 64];
const SIZES = [1, 10, 100, 1000].map((kilobytes) => kilobytes * KB);

/** The mixed workload (§3.5.1): [objects, bytes]. */
const MIX = [
  [32, KB],
  [16, 10 * KB],
  [2, 100 * KB],
  [2, 200 * KB],
] as const;

/** The workload: handcrafted pages, and `count` generated ones. */
export function pages(count: number, seed: number): NamedPage[] {
  const uniform = SIZES.flatMap((size) =>
    COUNTS.map((objects) => ({
      name: `${objects} × ${size / KB} KB`,
      class: `objects of ${size / KB} KB`,
      objects: Array.from({ length: objects }, () => plain(size)),
    })),
  );
  const mix = MIX.flatMap(([objects, size]) => Array.from({ length: objects }, () => plain(size)));
  const crawled = Array.from({ length: count }, (_, index) => ({
    name: `generated ${index + 1}`,
    class: 'generated',
    objects: generatedPage(seededRandom(derivedSeed(seed, `page ${index}`))),
  }));
  return [...uniform, { name: 'mix', class: 'mix', objects: mix }, ...crawled];
}

function plain(size: number): WebObject {
  return { size, host: 'server', secure: false, after: [] };
}

/**
 * In place of the crawl of the Alexa Top 100, which is not published. As it is described (§3.4.3): 23.1 KB (5 %) to 1.8 MB
 * (95 %), most below 300 KB; 1 to 50 objects, some up to 260; 1 to more than 20 hosts, median 7; objects mostly small. Chosen
 * by us: sizes within a page, how many objects go with many bytes, a quarter of the hosts over TLS, and up to four rounds of
 * objects, each of which waits for one of the round before.
 */
function generatedPage(random: Random): Page {
  const weight = random.normal();
  const total = 204 * KB * Math.exp(1.32 * weight);
  const count = clamp(Math.round(18 * Math.exp(0.7 * weight + 0.7 * random.normal())), 1, 260);
  const hosts = clamp(Math.round(7 * Math.exp(0.3 * weight + 0.5 * random.normal())), 1, Math.min(count, 25));
  const secure = Array.from({ length: hosts }, () => random.uniform() < 0.25);
  const weights = Array.from({ length: count }, () => Math.exp(1.5 * random.normal()));
  const sum = weights.reduce((a, b) => a + b);
  const starts = roundStarts(count, random);
  return weights.map((own, index): WebObject => {
    // A host has more than another: the square root of uniform would be even, the square is not.
    const host = index === 0 ? 0 : Math.floor(hosts * random.uniform() ** 2);
    const round = starts.findLastIndex((start) => start <= index);
    const previous = starts[round - 1];
    const after = previous === undefined ? [] : [previous + Math.floor((starts[round]! - previous) * random.uniform())];
    return { size: Math.max(100, Math.round((total * own) / sum)), host: `host-${host}`, secure: secure[host]!, after };
  });
}

/** Where each round begins: the document alone, then two to four more of equal length as far as there are objects. */
function roundStarts(count: number, random: Random): number[] {
  const rounds = Math.min(count - 1, 2 + Math.floor(3 * random.uniform()));
  return [0, ...Array.from({ length: rounds }, (_, round) => 1 + Math.floor((round * (count - 1)) / rounds))];
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
