import { IndexedRepresentation } from '../../src/manifest/indexed-representation.js';
import { prefixOf, readRepresentation } from '../../src/manifest/representation.js';
import type { ByteRange } from '../../src/manifest/byte-range.js';
import type { RepresentationMap } from '../../src/manifest/segment-map.js';
import { attributesOf, fetchBytes, fetchRange, rungOf } from './manifest-xml.js';
import type { Catalogue, Rung } from './types.js';

interface Entry {
  readonly rung: Rung;
  readonly map: RepresentationMap;
  readonly url: string;
  readonly initialization: ByteRange;
}

/** Of a video that `voxel-prepare` made: what the manifest and its indexes say. */
export class FilmCatalogue implements Catalogue {
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(entries: readonly Entry[]) {
    this.#entries = new Map(entries.map((entry) => [entry.rung.id, entry]));
  }

  static async read(document: Document, manifestUrl: string): Promise<FilmCatalogue> {
    const prefix = prefixOf(attributesOf(document.documentElement));
    const video = document.querySelector('AdaptationSet[contentType="video"]');
    const elements = [...(video?.querySelectorAll('Representation') ?? [])];
    return new FilmCatalogue(await Promise.all(elements.map((element) => readEntry(element, manifestUrl, prefix))));
  }

  get ladder(): readonly Rung[] {
    return [...this.#entries.values()].map(({ rung }) => rung);
  }

  score(representation: string, index: number): number | undefined {
    return this.#entries.get(representation)?.map.segment(index)?.steps.at(-1)?.score;
  }

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
  const file = await fetchBytes(map.indexUrl);
  for (let range = map.index.missing(0, Infinity); range; range = map.index.missing(0, Infinity))
    map.index.add(range, file.subarray(range.start, range.end));
  const [first, last] = element.querySelector('Initialization')!.getAttribute('range')!.split('-').map(Number);
  return {
    rung: rungOf(element),
    ...{ map, url },
    initialization: { start: first!, end: last! + 1 },
  };
}
