import { piecesOf, type DeliveredChunk, type Following } from '../../../src/voxel-loader/index.js';
import type { Load, LoaderRequest, LoaderResponse } from '../dash-types.js';
import { answer, fail, handOver, onAbort } from '../player-request.js';
import { ChunkSplitter } from './chunk-splitter.js';

/** How a live segment is asked for, and who wants to know what came. */
export interface LiveSegmentOptions {
  readonly request: LoaderRequest;
  readonly response: LoaderResponse;
  readonly parentLoad: Load;
  /** Asks the session for it. Rejects where that cannot be. */
  readonly follow: (onChunk: (chunk: DeliveredChunk) => void) => Promise<Following>;
  /** Just after dash.js got it. */
  readonly onChunk: (chunk: DeliveredChunk) => void;
  /** The rest of the segment comes over HTTP. */
  readonly onFallback: (error: unknown) => void;
  /** Bit/s that the link carries, for dash.js' own rules; undefined: not known. */
  readonly rate: () => number | undefined;
}

/** Brings one live segment: its chunks over the session and, where that fails, the rest over HTTP. */
export class LiveSegment {
  readonly #cancel = new AbortController();
  readonly #startedAt = performance.now();
  #following: Following | undefined;
  /** Bytes of the segment's file that dash.js has. */
  #handedOver = 0;
  #isOverHttp = false;
  #hasEnded = false;

  constructor(private readonly options: LiveSegmentOptions) {}

  /** Never rejects. */
  async run(): Promise<void> {
    onAbort(this.options.request, () => this.#end());
    try {
      const following = await this.options.follow((chunk) => {
        if (this.#hasEnded || this.#isOverHttp) return;
        this.#handedOver = chunk.range.end;
        handOver(this.options.request, chunk.bytes);
        this.options.onChunk(chunk);
      });
      this.#following = following;
      if (this.#hasEnded || this.#isOverHttp) following.abort();
      await following.result;
      this.#complete();
    } catch (error) {
      this.release(error);
    }
  }

  /** Goes on over HTTP. */
  release(error: unknown): void {
    if (this.#hasEnded || this.#isOverHttp) return;
    this.#isOverHttp = true;
    this.#following?.abort();
    const { request, response, parentLoad, onFallback } = this.options;
    onFallback(error);
    if (this.#handedOver > 0) return void this.#continue();
    // dash.js' own loader has its own way to abort.
    this.#hasEnded = true;
    parentLoad(request, response);
  }

  /** What dash.js has of the segment may not be appended twice in parts: only the rest is handed over. */
  async #continue(): Promise<void> {
    const { request, response } = this.options;
    try {
      const sent = await fetch(request.url, {
        headers: { ...request.headers },
        credentials: request.credentials ?? 'same-origin',
        signal: this.#cancel.signal,
      });
      if (!sent.ok || !sent.body) throw new Error(`the server answered ${sent.status}`);
      const splitter = new ChunkSplitter(this.#handedOver);
      for await (const piece of piecesOf(sent.body.getReader()))
        for (const bytes of splitter.push(piece)) this.#takeRest(bytes);
      this.#takeRest(splitter.end());
      this.#complete();
    } catch {
      if (this.#end()) fail(request, response);
    }
  }

  #takeRest(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#hasEnded || bytes.length === 0) return;
    this.#handedOver += bytes.length;
    handOver(this.options.request, bytes);
  }

  #complete(): void {
    if (!this.#end()) return;
    const { request, response, rate } = this.options;
    const loaded = this.#handedOver;
    const known = rate();
    // Of a segment that comes as it is made the time says nothing of the link.
    const time = known ? (8000 * loaded) / known : performance.now() - this.#startedAt;
    request.customData.onprogress?.({ loaded, total: loaded, lengthComputable: true, time });
    // Success, with nothing more to append.
    answer(request, response, new ArrayBuffer(0));
  }

  /** False: it had ended before. */
  #end(): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    this.#following?.abort();
    this.#cancel.abort();
    return true;
  }
}
