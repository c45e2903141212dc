import { mayBegin, pieceLengths, together, type ExpectedPiece, type PieceLengths } from '../../delivery/begin.js';
import { dueTime, PieceQueue, whilePlaying, type Playhead } from '../../delivery/piece-queue.js';
import { sum } from '../../delivery/sum.js';
import { shifted, totalBytes, type ByteRange } from '../../manifest/byte-range.js';
import { concatenate } from '../../concatenate.js';
import { IntervalSet } from '../../manifest/interval-set.js';
import { search } from '../../manifest/search.js';
import type { ChunkState, CutPiece, ReceivedBytes, RepairedSegment } from '../../repair/index.js';
import type { DeliveredPiece, FedRequest, SegmentFrames, SegmentTime } from '../types.js';
import { VoxelError } from '../errors.js';
import { describeFrames } from './frame-states.js';
import { PendingPiece } from './pending-piece.js';
import { RecentRate } from './recent-rate.js';
import { leftToTheEnd, type TimedRequest } from './time-order.js';
import type { PieceSource, PieceWatcher } from './types.js';

/** Milliseconds between two looks whether playback may begin: it takes all pieces. */
const BEGIN_INTERVAL = 20;

/** How segments of a representation are cut, and their pieces repaired (`Repairer`). Both throw `RepairError`. */
export interface Cutter {
  pieces(segment: Uint8Array, received: ReceivedBytes, lengths: PieceLengths): readonly CutPiece[];
  repairPiece(segment: Uint8Array, received: ReceivedBytes, piece: CutPiece, before?: ChunkState): RepairedSegment;
}

export interface HandOverOptions {
  readonly request: Pick<FedRequest, 'map' | 'time'> & TimedRequest;
  readonly cutter: Cutter;
  /** Undefined: nothing plays. */
  readonly playhead: () => Playhead | undefined;
  /** Milliseconds, on the playhead's clock. */
  readonly now: () => number;
  /** What else is on its way of the same time: it shares the link, and playback needs it, too. Default: nothing. */
  readonly beside?: () => readonly HandOver[];
}

/** What is left of a segment whose first pieces have been handed over. */
export interface Remainder {
  /** Its other pieces, one behind the other. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What became of all frames of the segment. */
  readonly frames: SegmentFrames;
  /** Positions in the segment of what was not here when its piece was handed over. */
  readonly shownWithout: IntervalSet;
}

/**
 * Hands a segment over in pieces while it arrives: cuts it as soon as its boxes are here, and gives each piece in order, when it is complete
 * or due, repaired. While nothing plays, or playback waits, the next one goes only if those behind it will keep up. The last one is left to
 * the segment's end.
 */
export class HandOver implements PieceWatcher {
  readonly #options: HandOverOptions;
  #source: PieceSource;
  #rate = new RecentRate();
  #queue = new PieceQueue<PendingPiece>();
  /** Those that are known so far. */
  #pieces: readonly CutPiece[] = [];
  /** How many have been handed over, and the others. */
  #given = 0;
  #pending: PendingPiece[] = [];
  /** Reliable bytes when it was last tried to cut it; Infinity: it cannot be cut. */
  #triedWith = -1;
  #before: ChunkState | undefined;
  #frames: SegmentFrames = { states: [], repairedFrames: 0, repairedSlices: 0, removed: [] };
  readonly #shownWithout = new IntervalSet();
  /** Playback waits, and goes on with what comes now. */
  #begins = false;
  #askedAt = -Infinity;
  #onPiece: ((piece: DeliveredPiece) => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(source: PieceSource, options: HandOverOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Begins to hand over, or goes on with another source. An error of the repair ends the source. */
  start(onPiece: (piece: DeliveredPiece) => void): void {
    this.#onPiece = onPiece;
    this.#source.watch(this);
    this.look();
  }

  /** Hands nothing over any more. */
  stop(): void {
    this.#onPiece = undefined;
    clearTimeout(this.#timer);
  }

  /** Another source brings what is missing. It must have all bytes that the former one had. */
  continueWith(source: PieceSource): void {
    this.stop();
    this.#source = source;
    this.#rate = new RecentRate();
    this.#begins = false;
    this.#queue = new PieceQueue();
    this.#pending = [];
    this.#enqueue(this.#pieces.slice(this.#given));
  }

  /** True once a piece has been handed over. */
  get hasBegun(): boolean {
    return this.#given > 0;
  }

  /** Where its segment is played. */
  get time(): SegmentTime {
    return this.#options.request.time;
  }

  get source(): PieceSource {
    return this.#source;
  }

  look(): void {
    if (!this.#onPiece) return;
    try {
      this.#look(this.#onPiece);
    } catch (error) {
      this.stop();
      this.#source.fail(error);
    }
  }

  inTime(places: readonly ByteRange[], milliseconds: number): ByteRange[] {
    const { now, playhead } = this.#options;
    const playing = whilePlaying(playhead());
    const back = now() + milliseconds;
    return places
      .flatMap((place) => this.#parts(place))
      .filter(({ piece }) => piece >= this.#given && (!playing || dueTime(this.#startTime(piece), playing) >= back))
      .sort((a, b) => a.piece - b.piece)
      .map(({ start, end }) => ({ start, end }));
  }

  /** Takes what is left once all is here that will come; undefined: nothing has been handed over. Throws `RepairError`. */
  finish(): Remainder | undefined {
    this.stop();
    if (!this.hasBegun) return undefined;
    this.#cut();
    if (!this.#pieces.at(-1)!.isLast) throw new VoxelError('malformed', 'the end of the segment cannot be found');
    const rest = this.#pieces.slice(this.#given).map((piece) => this.#repair(piece).bytes);
    return {
      bytes: rest.length === 1 ? rest[0]! : concatenate(rest),
      frames: this.#frames,
      shownWithout: this.#shownWithout,
    };
  }

  get #base(): number {
    return this.#options.request.map.range.start;
  }

  #look(onPiece: (piece: DeliveredPiece) => void): void {
    const now = this.#options.now();
    const playhead = this.#options.playhead();
    this.#rate.add(this.#bytesHere, now);
    this.#cut();
    if (!this.#goesOn(now, playhead)) return;
    for (const { piece, startTime } of this.#queue.take(now, playhead)) {
      if (piece.isLast) return void this.#source.keep();
      const { bytes, frames } = this.#repair(piece);
      this.#pending.shift();
      this.#given++;
      const { number, duration } = piece;
      // Of one whose frames were all taken out there is nothing to append.
      if (bytes.length > 0) onPiece({ number, startTime, duration, range: shifted(piece, this.#base), bytes, frames });
    }
    this.#lookAgain(this.#queue.wakeTime(playhead), now);
  }

  #lookAgain(at: number | undefined, now: number): void {
    clearTimeout(this.#timer);
    if (at !== undefined && at < Infinity)
      this.#timer = setTimeout(() => this.look(), Math.ceil(Math.max(0, at - now)));
  }

  /** Whether something may be handed over: while playback waits, only once what follows will keep up. */
  #goesOn(now: number, playhead: Playhead | undefined): boolean {
    if (whilePlaying(playhead)) {
      // The next time that it waits this is asked anew.
      this.#begins = false;
      return true;
    }
    if (this.#begins) return true;
    const next = this.#askedAt + BEGIN_INTERVAL;
    if (now < next) this.#lookAgain(next, now);
    else {
      this.#askedAt = now;
      this.#begins = this.#mayBegin(now, playhead);
      // What comes beside it tells nothing here.
      if (!this.#begins && this.#beside.length > 0) this.#lookAgain(now + BEGIN_INTERVAL, now);
    }
    return this.#begins;
  }

  #mayBegin(now: number, playhead: Playhead | undefined): boolean {
    const first = this.#pending[0];
    if (!first || first.bytesLeft > 0) return false;
    const { time, playFrom } = this.#options.request;
    const position = playFrom ?? playhead?.mediaTime ?? time.start;
    const begin = position < time.start + time.duration ? position : time.start;
    const startsAfter = (at: number) => Math.max(0, at - begin) / (playhead?.rate ?? 1);
    const others = this.#beside.flatMap((one) => one.#expected(startsAfter));
    const rate = sum([this, ...this.#beside].map((one) => one.#rateAt(now)));
    return mayBegin(together(this.#expected(startsAfter), others), rate);
  }

  get #beside(): readonly HandOver[] {
    return this.#options.beside?.() ?? [];
  }

  get #lengths(): PieceLengths {
    const { time, playFrom } = this.#options.request;
    return pieceLengths(playFrom === undefined ? undefined : playFrom - time.start);
  }

  /** Bit/s. */
  #rateAt(now: number): number {
    return this.#rate.rate(this.#bytesHere, now, 1000 * this.#source.progress().elapsed);
  }

  /** All that is still to come. What no box has told of yet counts as spread evenly over its time. */
  #expected(startsAfter: (at: number) => number): ExpectedPiece[] {
    const { time, map } = this.#options.request;
    const end = time.start + time.duration;
    const known = this.#pending.map(({ bytesLeft, startTime }) => ({ bytesLeft, startsAfter: startsAfter(startTime) }));
    const last = this.#pieces.at(-1);
    if (last?.isLast) return known;
    const { assembly } = this.#source;
    const places = assembly.locate({ start: (last?.end ?? 0) + this.#base, end: map.range.end });
    const left = totalBytes(places.flatMap((place) => assembly.gaps(place.start, place.end)));
    const from = this.#startTime(this.#pieces.length);
    const seconds = this.#lengths.others;
    const count = Math.max(1, Math.ceil((end - from) / seconds));
    const unknown = Array.from({ length: count }, (_, index) => ({
      bytesLeft: left / count,
      startsAfter: startsAfter(from + index * seconds),
    }));
    return [...known, ...unknown];
  }

  get #bytesHere(): number {
    const { bytesReliable, bytesUnreliable } = this.#source.assembly;
    return bytesReliable + bytesUnreliable;
  }

  /** Cuts what can be cut now: every new piece begins with bytes that must come. */
  #cut(): void {
    const { assembly } = this.#source;
    const last = this.#pieces.at(-1);
    if (last?.isLast || assembly.bytesReliable <= this.#triedWith) return;
    this.#triedWith = assembly.bytesReliable;
    let pieces: readonly CutPiece[];
    try {
      pieces = this.#options.cutter.pieces(assembly.bytes, this.#received, this.#lengths);
    } catch (error) {
      if (last) throw error;
      // It comes as a whole.
      this.#triedWith = Infinity;
      return;
    }
    const known = this.#pieces.length;
    if (pieces.length <= known) return;
    this.#pieces = pieces;
    this.#enqueue(pieces.slice(known));
  }

  #enqueue(pieces: readonly CutPiece[]): void {
    const { request } = this.#options;
    const notAwaited = leftToTheEnd(request.map, request);
    for (const piece of pieces) {
      const startTime = this.#startTime(piece.number);
      const pending = new PendingPiece(piece, startTime, this.#source, request.map, notAwaited);
      this.#pending.push(pending);
      this.#queue.add(pending);
    }
  }

  #startTime(piece: number): number {
    const { start } = this.#options.request.time;
    const [first] = this.#pieces;
    const known = this.#pieces[piece];
    const last = this.#pieces.at(-1);
    if (!first || !last) return start;
    return start + ((known ? known.startTime : last.startTime + last.duration) - first.startTime);
  }

  /** Parts of a place of the delivery order, each of one frame, and the numbers of their pieces. */
  #parts(place: ByteRange): (ByteRange & { readonly piece: number })[] {
    let at = place.start;
    return this.#source.assembly.fileRanges(place.start, place.end).map((range) => {
      const start = at;
      at += range.end - range.start;
      const piece = search(this.#pieces.length, (index) => this.#pieces[index]!.end > range.start - this.#base);
      return { start, end: at, piece };
    });
  }

  get #received(): ReceivedBytes {
    const { assembly } = this.#source;
    return { contains: (start, end) => assembly.contains(start, end) };
  }

  /** Makes a piece that can be played; what it needs of those before is known. */
  #repair(piece: CutPiece): { readonly bytes: Uint8Array<ArrayBuffer>; readonly frames: SegmentFrames } {
    const { cutter, request } = this.#options;
    const { assembly } = this.#source;
    const received = this.#received;
    const repaired = cutter.repairPiece(assembly.bytes, received, piece, this.#before);
    this.#before = repaired.after;
    const frames = describeFrames(request.map, { received, lost: this.#source.lost() }, repaired.frames);
    this.#frames = {
      states: [...this.#frames.states, ...frames.states],
      repairedFrames: this.#frames.repairedFrames + frames.repairedFrames,
      repairedSlices: this.#frames.repairedSlices + frames.repairedSlices,
      removed: [...this.#frames.removed, ...frames.removed],
    };
    for (const gap of assembly.notHere(piece.start, piece.end)) this.#shownWithout.add(gap.start, gap.end);
    return { bytes: owned(repaired.bytes), frames };
  }
}

/** The same bytes in a buffer of their own, which can change hands. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.length === bytes.buffer.byteLength ? (bytes as Uint8Array<ArrayBuffer>) : bytes.slice();
}
