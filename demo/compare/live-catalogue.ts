import { LiveRecordReader } from '../../src/manifest/live-records.js';
import { attributesOf, fetchBytes, rungOf } from './manifest-xml.js';
import type { Catalogue, Rung } from './types.js';

interface Entry {
  readonly rung: Rung;
  /** URLs; `$Number$` stands for the segment's index. */
  readonly media: string;
  readonly initialization: string;
}

/** Of a stream that `voxel-live` makes, while it makes it. */
export class LiveCatalogue implements Catalogue {
  readonly #entries: ReadonlyMap<string, Entry>;
  /** NaN: asked for. */
  readonly #scores = new Map<string, number>();

  private constructor(entries: readonly Entry[]) {
    this.#entries = new Map(entries.map((entry) => [entry.rung.id, entry]));
  }

  static read(document: Document, manifestUrl: string): LiveCatalogue {
    const elements = [...document.querySelectorAll('AdaptationSet[contentType="video"] Representation')];
    return new LiveCatalogue(
      elements.map((element) => {
        const { media = '', initialization = '' } = attributesOf(templateOf(element));
        const name = (text: string) => text.replaceAll('$RepresentationID$', element.id);
        // The template's numbers begin at 0: they are dash.js' indexes.
        const url = (text: string) => new URL(name(text), manifestUrl).href;
        return { rung: rungOf(element), media: url(media), initialization: url(initialization) };
      }),
    );
  }

  get ladder(): readonly Rung[] {
    return [...this.#entries.values()].map(({ rung }) => rung);
  }

  /** What its chunks' records say, once somebody has asked and they are here. */
  score(representation: string, index: number): number | undefined {
    const key = `${representation}/${index}`;
    const score = this.#scores.get(key);
    if (score !== undefined) return Number.isNaN(score) ? undefined : score;
    this.#scores.set(key, NaN);
    this.#readScore(representation, index).then(
      (read) => this.#scores.set(key, read),
      () => this.#scores.delete(key),
    );
    return undefined;
  }

  segment(representation: string, index: number): Promise<Uint8Array> {
    return fetchBytes(this.#url(representation, index));
  }

  initialization(representation: string): Promise<Uint8Array> {
    return fetchBytes(this.#entries.get(representation)!.initialization);
  }

  #url(representation: string, index: number): string {
    return this.#entries.get(representation)!.media.replace('$Number$', String(index));
  }

  async #readScore(representation: string, index: number): Promise<number> {
    const records = new LiveRecordReader().push(await fetchBytes(`${this.#url(representation, index)}.vxl`));
    const chunks = records.flatMap((record) => (record.type === 'chunk' ? record.chunk : []));
    const total = (value: (chunk: (typeof chunks)[number]) => number) =>
      chunks.reduce((sum, chunk) => sum + value(chunk), 0);
    return total((chunk) => chunk.steps.at(-1)!.score * chunk.duration) / total(({ duration }) => duration);
  }
}

/** Its own, or the one of its adaptation set. */
function templateOf(representation: Element): Element {
  const template =
    representation.querySelector('SegmentTemplate') ??
    representation.parentElement?.querySelector(':scope > SegmentTemplate');
  if (!template) throw new TypeError(`representation ${representation.id} has no SegmentTemplate`);
  return template;
}
