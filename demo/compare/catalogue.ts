import { IndexedRepresentation } from '../../src/manifest/indexed-representation.js';
import { prefixOf, readRepresentation } from '../../src/manifest/representation.js';
import type { ByteRange } from '../../src/manifest/byte-range.js';
import type { RepresentationMap } from '../../src/manifest/segment-map.js';
import type { Rung } from './types.js';

interface Entry {
  readonly rung: Rung;
  readonly map: RepresentationMap;
  readonly url: string;
  readonly initialization: ByteRange;
}

/** What the manifest and its indexes say of a video that `voxel-prepare` made, read off the links: the page's own knowledge, no player's. */
export class Catalogue {
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(entries: readonly Entry[]) {
    this.#entries = new Map(entries.map((entry) => [entry.rung.id, entry]));
  }

  static async load(manifestUrl: string): Promise<Catalogue> {
    const document = new DOMParser().parseFromString(await (await fetch(manifestUrl)).text(), 'application/xml');
    const prefix = prefixOf(attributesOf(document.documentElement));
    const video = document.querySelector('AdaptationSet[contentType="video"]');
    const elements = [...(video?.querySelectorAll('Representation') ?? [])];
    return new Catalogue(await Promise.all(elements.map((element) => readEntry(element, manifestUrl, prefix))));
  }

  get ladder(): readonly Rung[] {
    return [...this.#entries.values()].map(({ rung }) => rung);
  }

  /** Of the whole segment, in the manifest's metric. */
  score(representation: string, index: number): number | undefined {
    return this.#entries.get(representation)?.map.segment(index)?.steps.at(-1)?.score;
  }

  /** The segment as it was encoded. */
  async segment(representation: string, index: number): Promise<Uint8Array> {
    const { map, url } = this.#entries.get(representation)!;
    return fetchRange(url, map.segment(index)!.range);
  }

  initialization(representation: string): Promise<Uint8Array> {
    const { url, initialization } = this.#entries.get(representation)!;
    return fetchRange(url, initialization);
  }
}

async function readEntry(element: Element, manifestUrl: string, prefix: string): Promise<Entry> {
  const url = new URL(element.querySelector('BaseURL')?.textContent.trim() ?? '', manifestUrl).href;
  const attributes = attributesOf(element);
  const properties = [...element.querySelectorAll('SupplementalProperty')].map(attributesOf);
  const map = readRepresentation({ ...attributes, SupplementalProperty: properties }, url, prefix);
  if (!(map instanceof IndexedRepresentation)) throw new TypeError(`${manifestUrl}: a representation without an index`);
  const file = new Uint8Array(await (await fetch(map.indexUrl)).arrayBuffer());
  for (let range = map.index.missing(0, Infinity); range; range = map.index.missing(0, Infinity))
    map.index.add(range, file.subarray(range.start, range.end));
  const { id = '', codecs = '', width, height, bandwidth } = attributes;
  const [first, last] = element.querySelector('Initialization')!.getAttribute('range')!.split('-').map(Number);
  return {
    rung: { id, codecs, width: Number(width), height: Number(height), bandwidth: Number(bandwidth) },
    ...{ map, url },
    initialization: { start: first!, end: last! + 1 },
  };
}

function attributesOf(element: Element): Record<string, string> {
  return Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]));
}

async function fetchRange(url: string, { start, end }: ByteRange): Promise<Uint8Array> {
  const response = await fetch(url, { headers: { range: `bytes=${start}-${end - 1}` } });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
