import { LossDetection } from '../../delivery/recovery.js';
import { longestRange, type Parity } from '../../coding/symbols.js';
import type { ByteRange } from '../../manifest/byte-range.js';
import { IntervalSet } from '../../manifest/interval-set.js';
import type { SegmentAssembly } from './assembly.js';
import { AssemblyPart } from './assembly-part.js';
import { deferred } from '../deferred.js';
import { VoxelError } from '../errors.js';
import { ParityBlocks } from './parity-blocks.js';
import { serializeRequestHead } from './request-head.js';
import type { PlannedRequest } from './request-plan.js';
import { ResponseParser, type Fields, type ResponseEvent } from './response-parser.js';
import { checkHead } from './response-head.js';
import { parseInteger, parseParameter } from './structured-field.js';
import type { DownloadRequest, Flow, Session } from './types.js';

/** How long a stream may take to end of itself once its bytes are all here. Resetting it would look like a cancel. */
const LINGER_MS = 1000;

/** What an exchange shares with the download that it is part of. */
export interface ExchangeContext {
  readonly session: Session;
  readonly request: DownloadRequest;
  /** Milliseconds from now, of datagrams. */
  readonly deadline: number | undefined;
  /** Parity of datagrams. */
  readonly parity: Parity | undefined;
  /** The flow whose bytes go before these. */
  readonly after: number | undefined;
  readonly assembly: SegmentAssembly;
  readonly now: () => number;
  /** How long a datagram may be late before it counts as lost, in ms. */
  readonly reorderingWindow: () => number;
  /** Something arrived; `bytes`: how many bytes of the segment came with it that were not here. */
  readonly onArrival: (bytes: number) => void;
  /** These places of the delivery order were sent as datagrams and are lost; each is given once. */
  readonly onLost: (places: readonly ByteRange[]) => void;
}

/** One request and its answer: on its stream, and on its flow if the body comes as datagrams. */
export class RangeExchange {
  readonly #outcome = deferred<VoxelError | undefined>();
  /** Resolves when nothing more is to come, with the error if it ended badly. Never rejects. */
  readonly finished = this.#outcome.promise;
  readonly #part: AssemblyPart;
  readonly #context: ExchangeContext;
  readonly #flow: Flow | undefined;
  /** Losses of datagrams by their place in the order of sending. */
  readonly #losses = new LossDetection();
  /** What has been told of them. */
  readonly #told = new IntervalSet();
  readonly #parityAskedFor: Parity | undefined;
  readonly #parity: ParityBlocks;
  #lossTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #cancel = new AbortController();
  #ended = false;
  /** The version that was asked for; without one the head of the response has to come before anything is used. */
  readonly #etag: string | undefined;
  #hasHead = false;
  /** Datagrams that cannot be used before it, by offset: a network may bring one twice. */
  readonly #early = new Map<number, Uint8Array>();
  #earlyBytes = 0;
  /** Bytes of the body that are here, each counted once. */
  #arrived = 0;
  /** End of the furthest of them. */
  #reached = 0;
  /** Bytes of the body that were filled from parity. */
  bytesDecoded = 0;
  #bodyOnStream = false;
  /** Bytes of the body that came on the stream. */
  #streamed = 0;
  /** Bytes that were sent, as the trailer says. */
  #sent: number | undefined;
  /** The server's smoothed round-trip time in ms, once it has said so. */
  rtt: number | undefined;

  constructor({ places, delivery }: PlannedRequest, context: ExchangeContext) {
    this.#context = context;
    this.#etag = context.request.file.etag;
    if (delivery === 'datagrams') {
      this.#flow = context.session.openFlow((offset, payload) => this.#onDatagram(offset, payload));
    }
    this.#parityAskedFor = this.#flow && context.parity;
    this.#part = new AssemblyPart(context.assembly, places, longestRange(this.#parityAskedFor));
    this.#parity = new ParityBlocks(this.#part, this.#parityAskedFor);
    void this.#run();
  }

  /** Number of its datagrams' flow. */
  get flow(): number | undefined {
    return this.#flow?.id;
  }

  /** Bytes of parity that came. */
  get bytesParity(): number {
    return this.#parity.bytes;
  }

  /**
   * Bytes that were sent but are not here, as places of the delivery order. What was sent is known from the trailer; without
   * one, everything below the furthest byte seen.
   */
  lost(): ByteRange[] {
    return this.#part.gaps(0, Math.max(this.#sent ?? 0, this.#reached));
  }

  /** Whether bytes of these places of the delivery order may still come with it: of those that it has told to be lost none do. */
  mayBring(places: readonly ByteRange[]): boolean {
    return (
      !this.#ended &&
      places.some((place) => this.#told.gaps(place.start, place.end).some((part) => this.#part.has(part)))
    );
  }

  /** Ends it here, at the server too, unless it has ended already. */
  stop(): void {
    if (this.#ended) return;
    this.end();
    this.#cancel.abort();
  }

  async #run(): Promise<void> {
    const parser = new ResponseParser();
    try {
      for await (const bytes of this.#context.session.request(this.#head(), this.#cancel.signal)) {
        this.#context.onArrival(0);
        for (const event of parser.push(bytes)) this.#onEvent(event);
      }
      if (!this.#ended) for (const event of parser.end()) this.#onEvent(event);
    } catch (cause) {
      this.end(
        cause instanceof VoxelError ? cause : new VoxelError('bad-response', 'the response cannot be read', { cause }),
      );
    }
  }

  #head(): Uint8Array<ArrayBuffer> {
    const { session, request, after, deadline } = this.#context;
    return serializeRequestHead({
      target: request.target,
      host: session.host,
      // Not those that the page trusts another server with.
      headers: request.headerHosts?.includes(new URL(`https://${session.host}`).hostname) ? request.headers : {},
      ranges: this.#part.fileRanges(),
      etag: this.#etag,
      flow: this.#flow?.id,
      deadline: this.#flow && deadline,
      after,
      parity: this.#parityAskedFor,
    });
  }

  #onEvent(event: ResponseEvent): void {
    if (event.type === 'head') this.#onHead(event.status, event.fields);
    else if (event.type === 'body') this.#onBody(event.bytes);
    else this.#onEnd(event.trailers);
  }

  #onHead(status: number, fields: Fields): void {
    const { isOnStream, hasParity } = checkHead(status, fields, {
      file: this.#context.request.file,
      length: this.#part.length,
      flow: this.#flow?.id,
      parity: this.#parityAskedFor,
    });
    this.#bodyOnStream = isOnStream;
    if (!hasParity) this.#parity.close();
    this.#hasHead = true;
    for (const [offset, payload] of this.#early) this.#use(offset, payload);
    this.#early.clear();
    this.#lookForLosses();
  }

  #onBody(bytes: Uint8Array): void {
    if (!this.#bodyOnStream)
      throw new VoxelError('bad-response', 'the stream carries a body although the response announces datagrams');
    const offset = this.#streamed;
    this.#streamed += bytes.length;
    if (this.#streamed > this.#part.length)
      throw new VoxelError('bad-response', `the body is longer than the ${this.#part.length} bytes asked for`);
    this.#place(offset, bytes);
  }

  #onEnd(trailers: Fields): void {
    if (this.#bodyOnStream) {
      if (this.#streamed < this.#part.length)
        throw new VoxelError('incomplete', `the body has ${this.#streamed} bytes, expected ${this.#part.length}`);
      // Some of it may have come otherwise before.
      this.end();
      return;
    }
    const sent = parseInteger(trailers.get('x-voxel-sent'));
    if (sent === undefined || sent > this.#part.length) {
      throw new VoxelError(
        'bad-response',
        `x-voxel-sent must be a number up to ${this.#part.length}, got ${sent ?? 'none'}`,
      );
    }
    this.#sent = sent;
    this.rtt = parseInteger(trailers.get('x-voxel-rtt'));
    this.#context.session.roundTrip = this.rtt ?? this.#context.session.roundTrip;
    this.#endIfComplete();
    if (this.#parity.bytes >= (parseParameter(trailers.get('x-voxel-sent'), 'parity') ?? Infinity))
      this.#parity.close();
    this.#losses.sentUpTo(this.#parity.endInOrder(sent), this.#context.now());
    this.#lookForLosses();
  }

  /** What is neither within the body nor parity that was asked for is ignored like any other bad datagram. */
  #onDatagram(offset: number, payload: Uint8Array): void {
    const place = this.#parity.placeInOrder(offset, payload.length);
    if (!place) return;
    this.#losses.arrived(place.start, place.end, this.#context.now());
    // Whether the server knows of parity is not known before the head.
    if (this.#hasHead || (this.#etag !== undefined && offset < this.#part.length)) {
      this.#use(offset, payload);
      if (this.#losses.hasGaps) this.#lookForLosses();
    } else if (!this.#early.has(offset) && (this.#earlyBytes += payload.length) <= this.#parity.end) {
      this.#early.set(offset, payload);
      this.#context.onArrival(0);
    }
  }

  /** Takes a datagram, and what can be filled with it. */
  #use(offset: number, payload: Uint8Array): void {
    if (offset < this.#part.length) this.#place(offset, payload);
    else this.#context.onArrival(0);
    for (const [at, bytes] of this.#parity.fill(offset, payload)) this.bytesDecoded += this.#place(at, bytes);
  }

  /** How many of these bytes are new. */
  #place(offset: number, bytes: Uint8Array): number {
    if (this.#ended) return 0;
    const fresh = this.#part.place(offset, bytes);
    this.#arrived += fresh;
    this.#reached = Math.max(this.#reached, offset + bytes.length);
    this.#context.onArrival(fresh);
    this.#endIfComplete();
    return fresh;
  }

  /** Tells of losses as soon as they are known. After the trailer nothing is left to wait for but these. */
  #lookForLosses(): void {
    if (this.#ended) return;
    const { now, onLost } = this.#context;
    const window = this.#context.reorderingWindow();
    const taken = this.#losses.take(now(), window);
    const due = this.#losses.due(window);
    // Nothing comes any more: so no parity, either.
    if (due === undefined && this.#sent !== undefined) this.#parity.close();
    const lost = this.#parity.lost(taken).flatMap(({ start, end }) => this.#part.gaps(start, end));
    for (const { start, end } of lost) this.#told.add(start, end);
    if (lost.length > 0) onLost(lost);
    clearTimeout(this.#lossTimer);
    if (due !== undefined) this.#lossTimer = setTimeout(() => this.#lookForLosses(), due - now());
    else if (this.#sent !== undefined) this.end();
  }

  #endIfComplete(): void {
    if (this.#arrived >= (this.#sent ?? this.#part.length)) this.end();
  }

  /** Nothing more is to come, or all that was asked for is here: the rest of the stream may come, and is not looked at. */
  end(failure?: VoxelError): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#lossTimer);
    this.#flow?.close();
    setTimeout(() => this.#cancel.abort(), LINGER_MS);
    this.#outcome.resolve(failure);
  }
}
