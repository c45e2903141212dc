import type { FrameState } from '../../../player/api/types.js';
import type { LiveComparison } from '../live-comparison.js';
import type { LiveLane } from '../live-lane.js';
import type { Catalogue, Rung } from '../types.js';
import type { CompareReport } from '../voxel-compare.js';
import { watchAppends } from './appends.js';
import { ByteFile } from './byte-file.js';
import { VERSION, type Piece, type RecordedAppend, type RecordedLane, type Recording } from './format.js';

const letters: Readonly<Record<FrameState, string>> = { reliable: 'r', complete: 'c', skipped: 's', repaired: 'x' };

const PICTURES = 'pictures.bin';

interface Appended {
  readonly video: string;
  readonly time: number;
  readonly bytes: Uint8Array;
}

/** Keeps what players append, and makes files of a comparison that a page without a server plays back. */
export class Recorder {
  readonly #appended: Appended[] = [];

  /** Begins to listen. */
  constructor() {
    watchAppends(({ video, bytes }) => this.#appended.push({ video, bytes, time: performance.now() }));
  }

  /** The files by their names. */
  async files(
    comparison: LiveComparison,
    videos: readonly HTMLVideoElement[],
    known: { readonly report: CompareReport; readonly catalogue: Catalogue; readonly segmentDuration: number },
  ): Promise<ReadonlyMap<string, Blob>> {
    const { report, catalogue, segmentDuration } = known;
    const { ladder } = catalogue;
    const pictures = new Pictures(catalogue);
    const files = new Map<string, Blob>();
    const lanes: RecordedLane[] = [];
    for (const [place, lane] of comparison.lanes.entries()) {
      const { id } = lane.kind;
      const { blob, appends } = this.#appends(videos[place]!.src, comparison.startedAt);
      files.set(`${id}.bin`, blob);
      lanes.push({
        ...{ id, file: `${id}.bin`, mimeType: mimeTypeOf(ladder), appends },
        moments: lane.moments.map(({ at, position, waited }) => [round(at), round(position), round(waited)] as const),
        segments: await pictures.segments(lane),
      });
    }
    const initializations = await pictures.initializations(ladder);
    const recording: Recording = {
      ...{ version: VERSION, report, segmentDuration, ladder, lanes },
      link: comparison.link(),
      pictures: { file: PICTURES, initializations },
    };
    files.set(PICTURES, pictures.file.blob);
    files.set('run.json', new Blob([JSON.stringify(recording)]));
    return files;
  }

  /** `startedAt`: on the clock of `performance.now()`. */
  #appends(video: string, startedAt: number): { readonly blob: Blob; readonly appends: readonly RecordedAppend[] } {
    const file = new ByteFile();
    const appends = this.#appended
      .filter((append) => append.video === video)
      .map(({ bytes, time }) => ({ ...file.add(bytes), at: round((time - startedAt) / 1000) }));
    return { blob: file.blob, appends };
  }
}

/** Segments for a closer look: those that several lanes share are kept once. */
class Pictures {
  readonly file = new ByteFile();
  readonly #catalogue: Catalogue;
  readonly #originals = new Map<string, Piece>();

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  async segments(lane: LiveLane): Promise<RecordedLane['segments']> {
    const segments = [];
    for (const { frames, ...segment } of lane.segments()) {
      const { representation, index } = segment;
      const key = `${representation}/${index}`;
      const original = this.#originals.get(key) ?? this.file.add(await this.#catalogue.segment(representation, index));
      this.#originals.set(key, original);
      const repaired = lane.repaired(index);
      segments.push({
        ...segment,
        frames: frames.map((state) => letters[state]).join(''),
        original,
        repaired: repaired && this.file.add(repaired),
      });
    }
    return segments;
  }

  async initializations(ladder: readonly Rung[]): Promise<Record<string, Piece>> {
    const entries = ladder.map(async ({ id }) => [id, await this.#catalogue.initialization(id)] as const);
    return Object.fromEntries((await Promise.all(entries)).map(([id, bytes]) => [id, this.file.add(bytes)]));
  }
}

/** The highest level is good for all. */
function mimeTypeOf(ladder: readonly Rung[]): string {
  return `video/mp4; codecs="${ladder.at(-1)!.codecs}"`;
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
