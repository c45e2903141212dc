import { longestRange, parityFrom } from '../../coding/symbols.js';
import { comesInTime, RECOVERY_ROUND_TRIPS, reorderingWindow } from '../../delivery/recovery.js';
import { sum } from '../../delivery/sum.js';
import { totalBytes, type ByteRange } from '../../manifest/byte-range.js';
import { IntervalSet } from '../../manifest/interval-set.js';
import { deferred } from '../deferred.js';
import { SegmentAssembly } from './assembly.js';
import { VoxelError } from '../errors.js';
import { RangeExchange } from './range-exchange.js';
import { planRequests, type PlannedRequest } from './request-plan.js';
import { Recovery } from './recovery.js';
import { timeSteps } from './time-order.js';
import type { SegmentProgress } from '../types.js';
import type { PathDownload, Download, PieceWatcher, DownloadRequest, ReceivedSegment, Session } from './types.js';

/**
 * A download with nothing arriving for so long has failed. Longer than the outages of mobile links that QUIC itself
 * recovers from, shorter than its idle timeout (30 s and more).
 */
export const STALL_TIMEOUT_MS = 10_000;

/** Longest time in ms for which a piece that is waited for waits for what it has lost: longer ones cost more than a frame. */
const LONGEST_WAIT_MS = 80;

/** However long the round trip is said to be: datagrams that left before others are not far behind them. */
const MAX_ROUND_TRIP_MS = 1000;

/**
 * Downloads one segment: the reliable ranges on a stream and, asked for at the same moment because the server sends
 * reliable bytes first, the prefix of the unreliable ranges as datagrams. What is lost on the way is filled from parity, where
 * there is any, or asked for again on a stream while the rest still comes, as long as it can be in time. `now` gives milliseconds.
 *
 * A failure of the unreliable part after every reliable byte is here is none of the segment: it ends the download with
 * what has arrived. Not so a file that has changed: nothing of two versions is put together. Throws `RangeError` when `unreliableBytes` is more than the segment has.
 */
export function downloadSegment(
  session: Session,
  request: DownloadRequest,
  { now = () => performance.now() }: { readonly now?: () => number } = {},
): Download {
  return new RunningDownload(session, request, now);
}

class RunningDownload implements Download {
  readonly #outcome = deferred<ReceivedSegment>();
  readonly result = this.#outcome.promise;
  readonly assembly: SegmentAssembly;
  #watcher: PieceWatcher | undefined;
  readonly #exchanges: RangeExchange[] = [];
  /** Those of them with which it began: what they have lost others may bring. */
  readonly #first: RangeExchange[] = [];
  readonly #started: number;
  /** Whose bytes come first, while this one runs. */
  #after: Download | undefined;
  readonly #afterFlow: number | undefined;
  readonly paths: PathDownload | undefined;
  /** When the last of them came, as far as this one's bytes have shown, and how many of its own were here sooner. */
  #before = { at: 0, bytes: 0 };
  #firstArrival: number | undefined;
  #lastArrival: number;
  /** What the requests that the download began with show of the link. Recoveries come when nothing else may. */
  #measured: { readonly at: number; readonly bytes: number };
  /** How many of those have not ended well. */
  #measuring = 0;
  /** Requests under way. */
  #running = 0;
  readonly #recovery: Recovery;
  #stallTimer: ReturnType<typeof setTimeout> | undefined;
  #failure: VoxelError | undefined;
  #settled = false;

  constructor(
    readonly session: Session,
    private readonly request: DownloadRequest,
    private readonly now: () => number,
  ) {
    this.assembly = new SegmentAssembly(request.map, request.unreliableBytes);
    this.#started = this.#lastArrival = now();
    this.#measured = { at: this.#started, bytes: 0 };
    this.#after = request.after;
    this.#afterFlow = session.dispatch ? undefined : this.#after?.flow;
    this.#recovery = new Recovery({
      assembly: this.assembly,
      inTime: (places) => this.#inTime(places),
      send: (planned, onArrival, onFinished) => this.#send(planned, onArrival, onFinished),
    });
    this.paths = session.dispatch?.({
      request,
      assembly: this.assembly,
      send: (planned, over, after) => this.#sendFirst(planned, over, after),
      end: (failure) => this.#finish(failure),
    });
    // Over several paths all goes by its worth: they have no common order.
    if (this.paths) this.#running++;
    else this.#sendAll();
    this.#watchForStall();
  }

  get flow(): number | undefined {
    return this.#exchanges.findLast(({ flow }) => flow !== undefined)?.flow;
  }

  get lastMeasured(): number {
    return this.#measured.at;
  }

  progress(): SegmentProgress {
    return {
      phase: this.assembly.reliableComplete ? 'unreliable' : 'reliable',
      bytesReliable: this.assembly.bytesReliable,
      bytesUnreliable: this.assembly.bytesUnreliable,
      bytesRequested: this.assembly.length,
      elapsed: (this.now() - this.#begin) / 1000,
    };
  }

  watch(watcher: PieceWatcher): void {
    this.#watcher = watcher;
  }

  mayCome(places: readonly ByteRange[]): boolean {
    const isComing = (one: RangeExchange): boolean => one.mayBring(places);
    // Over several paths some of it may not even be asked for.
    if (this.paths || this.#first.some(isComing)) return places.length > 0;
    const wait = RECOVERY_ROUND_TRIPS * this.#roundTrip();
    return wait <= LONGEST_WAIT_MS && this.#exchanges.some(isComing);
  }

  /** Over several paths two requests may miss the same. */
  lost(): ByteRange[] {
    const lost = new IntervalSet(this.#exchanges.flatMap((exchange) => exchange.lost()));
    return [...lost].flatMap(({ start, end }) => this.assembly.missing(start, end));
  }

  keep(): boolean {
    if (this.#settled || !this.assembly.reliableComplete) return false;
    this.#deliver();
    return true;
  }

  abort(): void {
    this.fail(new VoxelError('aborted', 'the download was aborted'));
  }

  /** When its bytes may come: until those that go first are here it does not use the link. */
  get #begin(): number {
    return Math.max(this.#started, this.#before.at, this.#after?.lastMeasured ?? 0);
  }

  get #bytesHere(): number {
    return this.assembly.bytesReliable + this.assembly.bytesUnreliable;
  }

  /** Round-trip time in ms: with the server's time to answer, until it has said how long the way is; 0 before the first byte. */
  #roundTrip(session = this.session): number {
    const roundTrip = session.roundTrip ?? (this.#firstArrival ?? this.#started) - this.#started;
    return Math.min(roundTrip, MAX_ROUND_TRIP_MS);
  }

  /** Sends the requests of a download over one path: what is on a stream comes after the datagrams that were asked for before. */
  #sendAll(): void {
    const { map, delivery, parity } = this.request;
    let after = this.#afterFlow;
    let last = after;
    for (const planned of planRequests(this.assembly, delivery, longestRange(parity), timeSteps(map, this.request))) {
      if (planned.delivery === 'stream') after = last;
      last = this.#sendFirst(planned, undefined, after) ?? last;
    }
  }

  #sendFirst(planned: PlannedRequest, over?: Session, after?: number): number | undefined {
    const withReliableBytes = planned.places.some(({ start }) => start < this.assembly.reliableLength);
    this.#measuring++;
    const flow = this.#send(
      planned,
      () => (this.#measured = { at: this.now(), bytes: this.#bytesHere }),
      (failure) => {
        if (!failure) this.#measuring--;
        else if (withReliableBytes && !this.assembly.reliableComplete) this.fail(failure);
      },
      over,
      after,
    );
    this.#first.push(this.#exchanges.at(-1)!);
    return flow;
  }

  #send(
    planned: PlannedRequest,
    onArrival: (bytes: number) => void,
    onFinished: (failure: VoxelError | undefined) => void,
    session = this.paths?.pick() ?? this.session,
    after = this.#afterFlow,
  ): number | undefined {
    this.#running++;
    const { paths } = this;
    const request = this.request;
    const { sentBefore = planned.places[0]!.start - this.assembly.reliableLength } = planned;
    const exchange = new RangeExchange(planned, {
      session,
      request,
      // What is asked for later has less time.
      deadline: request.deadline && request.deadline - (this.now() - this.#started),
      parity: request.parity && parityFrom(request.parity, sentBefore),
      after,
      assembly: this.assembly,
      now: this.now,
      reorderingWindow: () => reorderingWindow(this.#roundTrip(session), request.recovery),
      onLost: (places) => {
        paths?.lost(session, totalBytes(places));
        this.#recovery.add(places);
        this.#watcher?.look();
      },
      onArrival: (bytes) => {
        paths?.arrived(session, bytes);
        // All others of its own bytes came before what goes first has come further.
        const at = this.#after?.lastMeasured ?? 0;
        if (at > this.#before.at) this.#before = { at, bytes: this.#bytesHere - bytes };
        this.#lastArrival = this.now();
        this.#firstArrival ??= this.#lastArrival;
        onArrival(bytes);
        if (this.#bytesHere === this.assembly.length) for (const one of this.#exchanges) one.end();
        this.#watcher?.look();
      },
    });
    this.#exchanges.push(exchange);
    void exchange.finished.then((failure) => {
      if (this.#settled) return;
      const own = paths?.finished(planned, session, failure) ? undefined : failure;
      onFinished(own);
      this.#finish(own);
    });
    return exchange.flow;
  }

  #finish(failure: VoxelError | undefined): void {
    if (this.#settled) return;
    this.#failure ??= failure;
    // Over several paths a failure without what must be here is one that no path could mend.
    if (failure?.code === 'file-changed' || (this.paths && failure && !this.assembly.reliableComplete))
      this.fail(failure);
    this.#running--;
    if (this.#running === 0) this.#deliver();
    else this.#watcher?.look();
  }

  #inTime(places: readonly ByteRange[]): readonly ByteRange[] {
    const { recovery, deadline } = this.request;
    const roundTrip = this.#roundTrip();
    if (!recovery) return [];
    if (this.#watcher) return this.#watcher.inTime(places, RECOVERY_ROUND_TRIPS * roundTrip);
    return comesInTime(deadline, this.now() - this.#started, roundTrip) ? places : [];
  }

  #watchForStall(): void {
    const left = STALL_TIMEOUT_MS - (this.now() - Math.max(this.#lastArrival, this.#begin));
    const timeout = new VoxelError('timeout', `nothing arrived for ${STALL_TIMEOUT_MS / 1000} s`);
    if (left > 0) this.#stallTimer = setTimeout(() => this.#watchForStall(), left);
    else if (this.assembly.reliableComplete) {
      this.#failure ??= timeout;
      this.#deliver();
    } else this.fail(timeout);
  }

  #deliver(): void {
    if (this.#settled) return;
    const { at, bytes } = this.#measuring > 0 ? { at: this.now(), bytes: this.#bytesHere } : this.#measured;
    const begin = Math.min(this.#begin, at);
    this.#stop();
    const assembly = this.assembly;
    const lost = this.lost();
    const bytesLost = totalBytes(lost);
    this.#outcome.resolve({
      bytes: assembly.bytes,
      received: assembly.received(),
      bytesReliable: assembly.bytesReliable,
      bytesUnreliable: assembly.bytesUnreliable,
      lost,
      bytesLost,
      bytesUnsent: assembly.length - this.#bytesHere - bytesLost,
      bytesRepeated: this.#recovery.bytesRepeated + (this.paths?.bytesRepeated ?? 0),
      bytesRecovered: this.#recovery.bytesRecovered,
      bytesDecoded: sum(this.#exchanges.map((exchange) => exchange.bytesDecoded)),
      bytesParity: sum(this.#exchanges.map((exchange) => exchange.bytesParity)),
      bytesMeasured: bytes - this.#before.bytes,
      seconds: (at - begin) / 1000,
      timeToFirstByte: Math.max(0, (this.#firstArrival ?? at) - begin) / 1000,
      rtt: this.session.roundTrip ?? this.#exchanges.find(({ rtt }) => rtt !== undefined)?.rtt,
      failure: this.#failure,
    });
  }

  fail(error: unknown): void {
    if (this.#settled) return;
    this.#stop();
    this.#outcome.reject(error);
  }

  /** Stops: nothing is written to the segment any more. */
  #stop(): void {
    this.#settled = true;
    this.#after = undefined;
    this.paths?.stop();
    clearTimeout(this.#stallTimer);
    for (const exchange of this.#exchanges) exchange.stop();
  }
}
