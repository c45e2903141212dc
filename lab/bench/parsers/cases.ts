import { readEntry } from '../../../src/manifest/index-entry.js';
import { IndexFile } from '../../../src/manifest/index-file.js';
import { IntervalSet } from '../../../src/manifest/interval-set.js';
import { parseSegment } from '../../../src/manifest/segment-attributes.js';
import { createRepairer, type RepairedSegment } from '../../../src/repair/index.js';
import { parseFragments } from '../../../src/repair/fmp4.js';
import { parseDiscovery } from '../../../src/voxel-loader/discovery.js';
import type { SegmentLayout } from '../../../src/voxel-loader/types.js';
import { SegmentAssembly } from '../../../src/voxel-loader/worker/assembly.js';
import { describeFrames } from '../../../src/voxel-loader/worker/frame-states.js';
import { ResponseParser } from '../../../src/voxel-loader/worker/response-parser.js';
import { box, initSegment, mediaSegment, sample } from '../../../test/repair/fmp4-builder.js';
import { avcc, slice, sps } from '../../../test/repair/h264-builder.js';
import { BitWriter, indexOf } from '../../../test/unit/index-writer.js';

/** An input and what reads it; the result is what is kept of it. */
export interface Input {
  readonly bytes: number;
  readonly parse: () => unknown;
}

/** A reader with the worst input that is known, of n parts. */
export interface Parser {
  /** n of the smaller input: some ten milliseconds. */
  readonly size: number;
  readonly make: (n: number) => Input;
  /** Bytes of memory that a byte of input may take, where it is more than the usual. */
  readonly memory?: number;
}

/** Bytes of a packet that carries a datagram of one byte. */
const PACKET = 40;

export const PARSERS: Readonly<Record<string, Parser>> = {
  'index-entry': {
    size: 8_000,
    make(n) {
      const bytes = entry(n);
      return { bytes: bytes.length, parse: () => readEntry(bytes, 1e5, 2) };
    },
  },
  // A few bits for eight slices of each frame, whose ranges are two numbers each.
  'index-entry of frames that are all alike': {
    size: 2_000,
    memory: 20_000,
    make(n) {
      const bytes = alikeEntry(n);
      return { bytes: bytes.length, parse: () => readEntry(bytes, 1e5, 2) };
    },
  },
  'index-file': {
    size: 16_000,
    make(n) {
      const bytes = indexOf(Array.from({ length: n }, () => Uint8Array.of(1)));
      return {
        bytes: bytes.length,
        parse() {
          const index = new IndexFile('ssim');
          index.add({ start: 0, end: bytes.length }, bytes);
          return index;
        },
      };
    },
  },
  attributes: {
    size: 8_000,
    make(n) {
      const attributes = {
        mediaRange: `0-${2 * n}`,
        reliable: ['0-0', ...list(n, (index) => `${2 * index + 2}-${2 * index + 2}`)].join(),
        unreliable: list(n, (index) => `${2 * (n - index) - 1}-${2 * (n - index) - 1}`).join(),
        reliableSize: String(n + 1),
        scores: ['0:0:0', ...list(n, (index) => `${index + 1}:${index + 1}:${index + 1}`)].join(),
      };
      return { bytes: Object.values(attributes).join('').length, parse: () => parseSegment(attributes) };
    },
  },
  discovery: {
    size: 4_000,
    make(n) {
      const hash = Buffer.alloc(32).toString('base64');
      const text = JSON.stringify({ endpoint: 'https://media.example/voxel', certificateHashes: list(n, () => hash) });
      return { bytes: text.length, parse: () => parseDiscovery(JSON.parse(text)) };
    },
  },
  'response in chunks of one byte': {
    size: 10_000,
    make(n) {
      const bytes = response('transfer-encoding: chunked', '1\r\nx\r\n'.repeat(n));
      return { bytes: bytes.length, parse: () => new ResponseParser().push(bytes) };
    },
  },
  'response byte by byte': {
    size: 40_000,
    make(n) {
      const bytes = response('transfer-encoding: chunked', `1;${'e'.repeat(1000)}\r\nx\r\n`.repeat(n / 1000));
      return {
        bytes: bytes.length,
        parse() {
          const parser = new ResponseParser();
          return Array.from(bytes, (_, at) => parser.push(bytes.subarray(at, at + 1)));
        },
      };
    },
  },
  'datagrams from the last to the first': {
    size: 12_000,
    make: (n) => ({
      bytes: PACKET * n,
      parse() {
        const unreliable = [{ start: 1, end: 2 * n + 1 }];
        const assembly = new SegmentAssembly(layout(2 * n + 1, [{ start: 0, end: 1 }], unreliable), 2 * n);
        for (let index = n - 1; index >= 0; index--) assembly.place(1 + 2 * index, Uint8Array.of(1));
        return assembly;
      },
    }),
  },
  'received ranges from the last to the first': {
    size: 12_000,
    make(n) {
      const assembly = new SegmentAssembly(backwards(n), n);
      assembly.place(n + 1, new Uint8Array(n));
      return { bytes: entry(n).length, parse: () => assembly.received() };
    },
  },
  'states of frames, each with a loss': {
    size: 12_000,
    make(n) {
      const frames = list(n, (index) => ({ start: 10 * index, end: 10 * index + 10 }));
      const lost = frames.map(({ start }) => ({ start: start + 1, end: start + 2 }));
      const reports = frames.map(({ start }, index) => ({
        ...{ index, start, bytes: 10, type: 'P' as const },
        ...{ slices: 1, repairedSlices: 1, removed: false },
      }));
      const map = layout(10 * n, [], frames);
      return {
        bytes: PACKET * n,
        parse: () => describeFrames(map, { received: new IntervalSet(), lost }, reports),
      };
    },
  },
  boxes: {
    size: 10_000,
    make(n) {
      const bytes = Buffer.concat([...list(n, () => box('free')), mediaSegment({ runs: [[sample([slice('P', 1)])]] })]);
      return { bytes: bytes.length, parse: () => parseFragments(bytes) };
    },
  },
  'repair of samples in a run of their own': {
    size: 1_000,
    make: (n) => repairOf(mediaSegment({ runs: list(n, () => [sample([slice('P', 1)])]) }), 'damaged'),
  },
  'repair of slices of one sample': {
    size: 800,
    make: (n) => repairOf(mediaSegment({ runs: [[sample(list(n, (index) => slice('P', 1, index)))]] }), 'damaged'),
  },
  'repair of slices as long as a picture, all of other lengths': {
    size: 200,
    make: (n) =>
      repairOf(
        mediaSegment({
          runs: [list(n, (index) => sample([slice('P', 600), slice('P', 600, 60_000 + index)]))],
        }),
        'damaged',
        avcc(4, [sps({ width: 400, height: 348 })]),
      ),
  },
  'parameter sets in samples': {
    size: 10,
    make(n) {
      const sets = list(31, (index) => Buffer.concat([sps(), Buffer.alloc(40_000), Uint8Array.of(index)]));
      const inSample = list(n, () => sets.at(-1)!);
      return repairOf(mediaSegment({ runs: [[sample([...inSample, slice('P', 1)])]] }), 'whole', avcc(4, sets));
    },
  },
};

/** An entry of `n` frames in two ranges each way, the last first. */
function entry(n: number): Uint8Array {
  const [nothing, ranks] = [new Array<number>(n).fill(0), list(n, (index) => n - 1 - index)];
  return new BitWriter()
    .count(0)
    .bits(0, 16)
    .bits(4, 3)
    .count(n)
    .count(0)
    .list(nothing)
    .count(1)
    .list(nothing)
    .list(nothing)
    .count(1)
    .list(ranks)
    .bits(0, 1)
    .bits(2, 2)
    .list(nothing.map((_, place) => Math.min(1, place)))
    .list(nothing.slice(1))
    .count(n)
    .list([...nothing, 0])
    .list([...nothing, 0])
    .toBytes();
}

/** An entry of `n` frames of eight slices, in lists of equal numbers as far as these are not of single bits. */
function alikeEntry(n: number): Uint8Array {
  const equal = (writer: BitWriter, value: number): BitWriter => writer.bits(31, 5).count(value);
  const writer = new BitWriter().count(0).bits(0, 16).bits(4, 3).count(n).count(0);
  equal(equal(equal(writer, 7).count(1), 0), 0)
    .count(1)
    .list(new Array<number>(n).fill(0))
    .bits(0, 1)
    .bits(1, 2);
  return equal(equal(equal(writer, 1).count(n), 0), 0).toBytes();
}

/** `n` bytes that may be missing, the last first, between others. */
function backwards(n: number): SegmentLayout {
  const reliable = list(n + 1, (index) => ({ start: 2 * index, end: 2 * index + 1 }));
  const unreliable = list(n, (index) => ({ start: 2 * (n - index) - 1, end: 2 * (n - index) }));
  return layout(2 * n + 1, reliable, unreliable);
}

function layout(
  end: number,
  reliable: SegmentLayout['reliable'],
  unreliable: SegmentLayout['unreliable'],
): SegmentLayout {
  const reliableBytes = reliable.reduce((sum, range) => sum + range.end - range.start, 0);
  return { range: { start: 0, end }, reliable, unreliable, reliableBytes };
}

function response(field: string, body: string): Uint8Array {
  return new TextEncoder().encode(`HTTP/1.1 206 Partial Content\r\n${field}\r\n\r\n${body}`);
}

function repairOf(segment: Uint8Array, state: 'whole' | 'damaged', configuration = avcc()): Input {
  const repairer = createRepairer(initSegment(configuration));
  const received = new IntervalSet();
  if (state === 'whole') received.add(0, segment.length);
  else for (const { start, end } of lastBytes(segment).gaps(0, segment.length)) received.add(start, end);
  const parse = (): RepairedSegment => repairer.repair(segment, received);
  return { bytes: segment.length, parse };
}

/** The last bytes of every NAL unit. */
function lastBytes(segment: Uint8Array): IntervalSet {
  const view = new DataView(segment.buffer, segment.byteOffset, segment.byteLength);
  const last = new IntervalSet();
  for (const { offset, size } of parseFragments(segment).flatMap(({ samples }) => samples)) {
    for (let at = offset; at < offset + size;) {
      at += 4 + view.getUint32(at);
      last.add(at - 1, at);
    }
  }
  return last;
}

function list<Item>(count: number, item: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => item(index));
}
