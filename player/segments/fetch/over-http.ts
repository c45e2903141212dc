import type { ByteRange } from '../../../src/manifest/byte-range.js';
import type { DeliveredSegment, FedDownload } from '../../../src/voxel-loader/index.js';
import { RangeFailure, streamRange, type RangeRequest, type RangeStreamOptions } from '../../network/range-stream.js';
import { ArrivedBytes, type ArrivingBody } from '../../port/arriving-body.js';
import type { PlayerRequest } from '../../port/player-request.js';

/** Milliseconds before what failed is asked for again: doubled each time up to the limit. */
const FIRST_RETRY = 250;
const LONGEST_RETRY = 4_000;
/** Attempts without a byte after which it is given up: servers take a while to restart. */
const MAX_ATTEMPTS = 10;

/** Which pieces the player has been given of a segment, in order. */
type Pieces = Uint8Array<ArrayBuffer>[];

export interface OverHttpOptions {
  readonly segment: {
    readonly request: RangeRequest;
    readonly map: { readonly range: ByteRange };
    readonly answer: Pick<PlayerRequest, 'timeout' | 'progress' | 'piece'>;
  };
  /** Has the worker put the segment together. */
  readonly fed: Promise<FedDownload>;
  readonly onProgress: (loaded: number, total: number) => void;
}

/** What the player has not been given, and what came over HTTP of the segment. */
export interface BroughtOverHttp {
  readonly delivered: DeliveredSegment;
  /** Bytes, and seconds that they took. */
  readonly bytes: number;
  readonly seconds: number;
}

/**
 * A segment of which HTTP brings something: the worker cuts it as it comes, and the player is given it in pieces. Once it has been
 * given one, it gets the others, and nothing else of the segment.
 */
export class OverHttp {
  readonly #stopped = new AbortController();
  #fed: FedDownload | undefined;
  #hasEnded = false;
  /** The player is given no piece any more: all of it came before the first could be played, or less than that. */
  #isClosed = false;

  constructor(
    private readonly options: OverHttpOptions,
    readonly pieces: Pieces = [],
  ) {
    // Where there is no worker, or it is gone.
    options.fed.catch(() => undefined);
  }

  get isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  /** Stopped, or all that it can bring is here. */
  get isOver(): boolean {
    return this.isStopped || this.#hasEnded;
  }

  /** Nothing of it reaches the player any more. */
  stop(): void {
    this.#stopped.abort();
    this.#fed?.abort();
  }

  /**
   * Hands over what comes of the segment, as it comes. Resolves with what the player has not been given, which is all of it where it came before its first
   * piece could be played. Rejects when less than that came; `pieces` tells what the player has then.
   */
  async take(body: ArrivingBody): Promise<Uint8Array<ArrayBuffer>> {
    const { segment, fed } = this.options;
    const { range } = segment.map;
    let pushed = 0;
    const push = (): void => {
      const { loaded, bytes } = body;
      segment.answer.progress(loaded, bytes.length);
      this.options.onProgress(loaded, bytes.length);
      if (!this.#fed || body.loaded === pushed) return;
      this.#fed.push(range.start + pushed, body.bytes.slice(pushed, body.loaded));
      pushed = body.loaded;
    };
    this.#stopped.signal.addEventListener('abort', () => body.cancel());
    body.follow(push);
    void fed.then(
      (download) => {
        this.#begin(download);
        push();
      },
      () => undefined,
    );
    try {
      await body.ended.finally(() => (this.#hasEnded = true));
    } catch (error) {
      if (this.pieces.length === 0) {
        this.#close();
        throw error;
      }
      const { loaded } = body;
      await this.#bring({ start: range.start + loaded, end: range.end }, (at, bytes) => {
        body.bytes.set(bytes, at - range.start);
        this.#fed!.push(at, bytes.slice());
      });
    }
    if (this.pieces.length > 0) return (await this.#end()).bytes;
    this.#close();
    return body.bytes;
  }

  /** Asks for all of it: `take` hands it over, and waits for no worker. */
  ask(): ArrivingBody {
    const { range } = this.options.segment.map;
    const arrived = new ArrivedBytes(range.end - range.start);
    const ended = this.#bring(range, (at, part) => arrived.add(at - range.start, part));
    return Object.assign(arrived, { ended, cancel: () => undefined });
  }

  /** Brings the segment from that position of its file on: what came over a session before that failed. */
  async takeRest(start: number): Promise<BroughtOverHttp> {
    const { segment, fed } = this.options;
    const began = performance.now();
    this.#begin(await fed);
    let bytes = 0;
    await this.#bring({ start, end: segment.map.range.end }, (at, part) => {
      bytes += part.length;
      this.#fed!.push(at, part.slice());
    });
    const seconds = (performance.now() - began) / 1000;
    return { delivered: await this.#end(), bytes, seconds };
  }

  #begin(download: FedDownload): void {
    this.#fed = download;
    download.result.catch(() => undefined);
    if (this.isStopped || this.#isClosed) return download.abort();
    download.handOver(({ bytes }) => {
      if (this.isStopped || this.#isClosed) return;
      this.pieces.push(bytes);
      this.options.segment.answer.piece!(bytes);
    });
  }

  #close(): void {
    this.#isClosed = true;
    this.#fed?.abort();
  }

  #end(): Promise<DeliveredSegment> {
    this.#fed!.end();
    return this.#fed!.result;
  }

  /** Asks for that until it is here, the player does not want it any more, or the server refuses it. */
  async #bring({ start, end }: ByteRange, onBytes: RangeStreamOptions['onBytes']): Promise<void> {
    const { request, answer } = this.options.segment;
    let at = start;
    let attempts = 0;
    while (at < end) {
      const patience = answer.timeout > 0 ? [AbortSignal.timeout(answer.timeout)] : [];
      const signal = AbortSignal.any([this.#stopped.signal, ...patience]);
      try {
        await streamRange(
          request,
          { start: at, end },
          {
            signal,
            onBytes: (position, bytes) => {
              [at, attempts] = [position + bytes.length, 0];
              onBytes(position, bytes);
            },
          },
        );
      } catch (error) {
        attempts++;
        const isFinal = error instanceof RangeFailure && error.isFinal;
        if (isFinal || this.isStopped || attempts >= MAX_ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (attempts - 1))));
      }
    }
  }
}
