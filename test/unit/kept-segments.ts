import { NO_COUNTS } from '../../src/delivery/index.js';
import type { ByteRange } from '../../src/manifest/byte-range.js';
import { IntervalSet } from '../../src/manifest/interval-set.js';
import type { KeptSegment, SegmentDownload, SegmentLayout } from '../../src/voxel-loader/types.js';
import { FileVersion } from '../../src/voxel-loader/worker/file-version.js';
import { PartialSegment } from '../../src/voxel-loader/worker/partial-segment.js';
import type { Repairers } from '../../src/voxel-loader/worker/repairers.js';
import { downloadSegment } from '../../src/voxel-loader/worker/segment-download.js';
import type { Session } from '../../src/voxel-loader/worker/types.js';
import { fileBytes } from './segment-content.js';

/** Leaves segments as they are. */
const noRepair = {
  repair: (_representation, { bytes }) => ({ bytes, frames: [] }),
} as Pick<Repairers, 'repair'> as Repairers;

/** Segments with gaps, as the worker keeps them, without a worker. */
export class KeptSegments {
  readonly #segments = new Map<number, PartialSegment>();

  get size(): number {
    return this.#segments.size;
  }

  /** A segment of the file `/q00.mp4` with these ranges lost. */
  add(map: SegmentLayout, lost: readonly ByteRange[]): KeptSegment & { readonly received: IntervalSet } {
    const place = ({ start, end }: ByteRange): ByteRange => ({
      start: start - map.range.start,
      end: end - map.range.start,
    });
    const received = new IntervalSet();
    const bytes = fileBytes([map.range]);
    for (const range of [...map.reliable, ...map.unreliable]) {
      if (!lost.some((gap) => gap.start === range.start)) received.add(place(range).start, place(range).end);
    }
    const gaps = lost.map(place);
    for (const { start, end } of gaps) bytes.fill(0, start, end);
    const request = { representation: '0/q00', target: '/q00.mp4', map, file: new FileVersion(), headers: {} };
    const segment = new PartialSegment(request, {
      ...NO_COUNTS,
      ...{ bytesUnsent: 0, seconds: 0, bytesMeasured: 0, timeToFirstByte: 0, rtt: undefined, failure: undefined },
      ...{ bytes, received, lost: gaps },
    });
    const id = this.#segments.size;
    this.#segments.set(id, segment);
    return { id, release: () => this.#segments.delete(id), received: copyOf(received) };
  }

  fetchInto(session: Session, kept: KeptSegment, ranges: readonly ByteRange[]): SegmentDownload {
    const segment = this.#segments.get(kept.id)!;
    const download = downloadSegment(session, segment.requestFor(ranges));
    const result = download.result.then((arrived) => {
      segment.add(arrived);
      return {
        ...arrived,
        ...segment.repair(noRepair),
        bytesLost: segment.bytesLost,
        received: copyOf(segment.received),
        kept: segment.isWhole ? undefined : kept,
      };
    });
    return {
      result,
      progress: () => download.progress(),
      keep: () => download.keep(),
      abort: () => download.abort(),
      // What is fetched into a segment is handed over whole.
      handOver: () => {},
    };
  }
}

function copyOf(set: IntervalSet): IntervalSet {
  const copy = new IntervalSet();
  for (const { start, end } of set) copy.add(start, end);
  return copy;
}
