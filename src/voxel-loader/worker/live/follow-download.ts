import { PieceQueue, dueTime, whilePlaying, type Playhead } from '../../../delivery/piece-queue.js';
import { LossDetection, reorderingWindow } from '../../../delivery/recovery.js';
import type { LiveChunk } from '../../../manifest/live-chunk.js';
import { deferred } from '../../deferred.js';
import { VoxelError } from '../../errors.js';
import type { FollowRequest } from '../../types.js';
import { FileVersion } from '../file-version.js';
import { ResponseParser, type ResponseEvent } from '../response-parser.js';
import type { Flow, Session } from '../types.js';
import { ChunkAssembly } from './chunk-assembly.js';
import { FollowParser, type FollowEvent, type SentReport } from './follow-parser.js';
import { checkFollowHead, serializeFollowHead } from './follow-request.js';
import { PendingChunk, type ReceivedChunk } from './pending-chunk.js';

/** Milliseconds that reliable bytes may be late before somebody else is asked for the rest of the segment. */
const PATIENCE_MS = 1500;

/** Milliseconds without a byte after which no more are expected: a server gives up an encoder after as many. */
const SILENCE_MS = 10_000;

/** A round trip is not yet known: that of a mobile link. */
const UNKNOWN_ROUND_TRIP_MS = 100;
const MAX_ROUND_TRIP_MS = 1000;

/** How far ahead of the records a flow's datagram may be: more is no honest server's. */
const MAX_BYTES_AHEAD = 2 ** 20;

export interface FollowOptions {
  readonly session: Session;
  readonly request: FollowRequest;
  /** Undefined: nothing plays yet. */
  readonly playhead: () => Playhead | undefined;
  /** What is known of a chunk beside its record. */
  readonly layout: (chunk: LiveChunk) => LiveChunk;
  /** Called in order; what it throws ends the download. */
  readonly onChunk: (chunk: ReceivedChunk) => void;
  /** Milliseconds, on the playhead's clock. */
  readonly now: () => number;
}

/**
 * Follows one live segment: its chunks come as they are made, their reliable bytes on the stream and their frames as datagrams. What
 * is lost is asked for again if it can be back before its chunk is due; each chunk is handed over when it is complete or due.
 */
export class FollowDownload {
  readonly #outcome = deferred();
  /** Resolves after the last chunk; rejects with `VoxelError` where no more will come. */
  readonly result = this.#outcome.promise;
  readonly #flow: Flow | undefined;
  readonly #cancel = new AbortController();
  readonly #file = new FileVersion();
  readonly #assembly = new ChunkAssembly();
  readonly #queue = new PieceQueue<PendingChunk>();
  readonly #pending: PendingChunk[] = [];
  readonly #losses = new LossDetection();
  /** Lost places of the concatenation whose chunk is not known yet. */
  #lostAhead: { readonly start: number; readonly end: number }[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #began: number;
  #lastArrival: number;
  /** Media time at which the next chunk starts. */
  #nextStart: number;
  #window: number | undefined;
  /** Whether frames of a group are missing: what follows them cannot be decoded. */
  #isBroken = false;
  /** The whole body has come. */
  #hasEnded = false;
  #isSettled = false;

  constructor(private readonly options: FollowOptions) {
    const { session, request, now } = options;
    this.#began = this.#lastArrival = now();
    this.#nextStart = request.startTime;
    if (request.delivery === 'datagrams')
      this.#flow = session.openFlow((offset, payload) => this.#guard(() => this.#onDatagram(offset, payload)));
    void this.#run();
  }

  abort(): void {
    this.#fail(new VoxelError('aborted', 'the download was aborted'));
  }

  /** Looks what has to be done now: playback has moved otherwise than expected. */
  look(): void {
    this.#guard(() => this.#look());
  }

  async #run(): Promise<void> {
    const { session, request } = this.options;
    const response = new ResponseParser();
    const body = new FollowParser();
    const onEvent = (event: ResponseEvent): void => {
      if (event.type === 'head') checkFollowHead(event.status, event.fields, this.#flow?.id);
      else if (event.type === 'body') for (const one of body.push(event.bytes)) this.#onEvent(one);
      else body.end();
    };
    try {
      const head = serializeFollowHead(request, { host: session.host, flow: this.#flow?.id });
      this.#look();
      for await (const bytes of session.request(head, this.#cancel.signal)) {
        if (this.#isSettled) return;
        this.#lastArrival = this.options.now();
        for (const event of response.push(bytes)) onEvent(event);
        this.#look();
      }
      if (this.#isSettled) return;
      for (const event of response.end()) onEvent(event);
      this.#hasEnded = true;
      this.#look();
    } catch (error) {
      this.#fail(error);
    }
  }

  #onEvent(event: FollowEvent): void {
    if (event.type === 'chunk') this.#onChunk(event.chunk);
    else if (event.type === 'reliable') this.#assembly.addReliable(event.bytes);
    else if (event.type === 'frames') this.#onFrames(event.offset, event.bytes);
    else if (event.type === 'sent') this.#onSent(event.report);
  }

  #onChunk(chunk: LiveChunk): void {
    const { session, request, now, layout } = this.options;
    const pending = new PendingChunk(this.#assembly.add(layout(chunk)), {
      session,
      request,
      file: this.#file,
      now,
      timeLeft: () => {
        const playing = whilePlaying(this.options.playhead());
        return playing && dueTime(chunk.startTime, playing) - now();
      },
      roundTrip: () => this.#roundTrip,
      onArrival: () => this.look(),
    });
    this.#pending.push(pending);
    this.#queue.add(pending);
    this.#nextStart = chunk.startTime + chunk.duration;
    const lost = this.#lostAhead;
    this.#lostAhead = [];
    this.#recover(lost);
  }

  #onSent(report: SentReport): void {
    const { frames } = this.#assembly.close(report);
    // What was left out is none of the chunk's losses.
    if (this.#flow) this.#losses.sentUpTo(frames.end, this.options.now());
    this.#pending[report.chunk]!.close();
    this.options.session.roundTrip = report.roundTrip ?? this.options.session.roundTrip;
    this.#window = report.window;
  }

  /** Places frames that come on the stream: without datagrams nothing else shows the link's rate. */
  #onFrames(offset: number, bytes: Uint8Array): void {
    if (this.#isBroken) return;
    const { length } = bytes;
    const placed = this.#assembly.addFrames(offset, bytes);
    if (placed) this.#pending[placed.number]!.meter.addFromStream(length, this.#lastArrival);
  }

  #onDatagram(offset: number, payload: Uint8Array): void {
    const now = this.options.now();
    const end = offset + payload.length;
    if (this.#isSettled || this.#isBroken || end > this.#assembly.end + MAX_BYTES_AHEAD) return;
    this.#lastArrival = now;
    this.#losses.arrived(offset, end, now);
    const placed = this.#assembly.addFrames(offset, payload);
    if (placed) this.#pending[placed.number]!.meter.add(payload.length, now);
    this.#look();
  }

  /** Hands over what is ready, asks for what is lost, and comes back when there is something to do though nothing comes. */
  #look(): void {
    if (this.#isSettled) return;
    const now = this.options.now();
    const playhead = this.options.playhead();
    const window = reorderingWindow(this.#roundTrip, true);
    this.#recover(this.#losses.take(now, window));
    for (const pending of this.#queue.take(now, playhead)) {
      this.#assembly.release(pending.open);
      const received = pending.handOver({ roundTrip: this.options.session.roundTrip, window: this.#window });
      const { bytesLost, bytesUnsent } = received.facts;
      this.#isBroken ||= this.options.request.isGroup && bytesLost + bytesUnsent > 0;
      this.options.onChunk(received);
    }
    if (this.#hasEnded && !this.#queue.first) {
      this.#settle();
      this.#outcome.resolve();
      return;
    }
    const givenUpAt = this.#givenUpAt(playhead);
    if (now >= givenUpAt) throw new VoxelError('timeout', 'the next chunk does not come in time');
    const times = [givenUpAt, this.#losses.due(window) ?? Infinity, this.#queue.wakeTime(playhead) ?? Infinity];
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.look(), Math.ceil(Math.max(0, Math.min(...times) - now)));
  }

  /** When to stop waiting for what must come next. */
  #givenUpAt(playhead: Playhead | undefined): number {
    const { first } = this.#queue;
    // Its hand-over is a matter of time.
    if (first?.isPlayable) return Infinity;
    const silent = this.#lastArrival + SILENCE_MS;
    if (!playhead) return silent;
    return Math.min(
      silent,
      Math.max(dueTime(first?.startTime ?? this.#nextStart, playhead), this.#began) + PATIENCE_MS,
    );
  }

  #recover(lost: readonly { readonly start: number; readonly end: number }[]): void {
    for (const { start, end } of lost) {
      let at = start;
      while (at < end) {
        const open = this.#assembly.chunkAt(at);
        if (!open) {
          this.#lostAhead.push({ start: at, end });
          break;
        }
        const to = Math.min(end, open.frames.end);
        this.#pending[open.number]!.recover(at, to);
        at = to;
      }
    }
  }

  get #roundTrip(): number {
    return Math.min(this.options.session.roundTrip ?? UNKNOWN_ROUND_TRIP_MS, MAX_ROUND_TRIP_MS);
  }

  #guard(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#settle();
    this.#outcome.reject(error);
  }

  #settle(): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#flow?.close();
    for (const pending of this.#pending) pending.stop();
    if (!this.#hasEnded) this.#cancel.abort();
  }
}
