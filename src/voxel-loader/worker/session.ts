import { decodeDatagram } from './datagram.js';
import { VoxelError } from '../errors.js';
import { PROTOCOL } from '../protocol.js';
import type { DatagramListener, Flow, Session } from './types.js';
import type { Endpoint, PathReport } from '../types.js';

/** What of the browser's `WebTransport` is used; some browsers lack some of it. */
export interface WebTransportLike {
  readonly ready: Promise<unknown>;
  readonly closed: Promise<{ readonly closeCode?: number; readonly reason?: string }>;
  readonly datagrams: {
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable?: WritableStream<Uint8Array>;
    incomingHighWaterMark?: number;
    incomingMaxBufferedDatagrams?: number;
  };
  createBidirectionalStream(): Promise<{
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<Uint8Array<ArrayBuffer>>;
  }>;
  close(info?: { closeCode: number; reason: string }): void;
}

export type WebTransportConstructor = new (url: string, options: WebTransportOptions) => WebTransportLike;

/** `report` is for what is known of several paths. */
export type OpenSession = (
  endpoint: Endpoint,
  constructor?: WebTransportConstructor,
  report?: (paths: readonly PathReport[]) => void,
) => Promise<Session>;

/** With UDP blocked Chromium itself takes far longer to give up. */
const READY_TIMEOUT_MS = 5_000;

/**
 * Datagrams that the browser may hold while the page is busy: 2.4 MB, a second at 20 Mbit/s. Chromium's own value is 1,
 * and it drops the rest.
 */
const BUFFERED_DATAGRAMS = 2_000;

/** Milliseconds without a byte that is owed after which the server is shown where the client is. */
const SILENCE_MS = 400;
/** How often that is looked at. */
const LOOK_MS = 100;

/** Opens a session. Rejects with `VoxelError` code `unsupported` or `session-failed`. */
export async function openSession(
  endpoint: Endpoint,
  constructor = globalThis.WebTransport as WebTransportConstructor | undefined,
): Promise<Session> {
  if (!constructor) throw new VoxelError('unsupported', 'this browser has no WebTransport');
  const hashes = endpoint.certificateHashes.map((value) => ({ algorithm: 'sha-256', value: value.slice() }));
  let webTransport: WebTransportLike;
  try {
    webTransport = new constructor(endpoint.url, {
      protocols: [PROTOCOL],
      requireUnreliable: true,
      // An empty list would mean that no certificate is acceptable.
      ...(hashes.length > 0 && { serverCertificateHashes: hashes }),
    });
  } catch (cause) {
    throw new VoxelError('session-failed', `WebTransport refuses the endpoint: ${describe(cause)}`, { cause });
  }
  const session = new WebTransportSession(webTransport, new URL(endpoint.url).host);
  await becomeReady(webTransport);
  return session;
}

async function becomeReady(webTransport: WebTransportLike): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${READY_TIMEOUT_MS / 1000} s`)), READY_TIMEOUT_MS);
  });
  try {
    await Promise.race([webTransport.ready, timeout]);
  } catch (cause) {
    webTransport.close();
    throw new VoxelError('session-failed', `the session could not be opened: ${describe(cause)}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

class WebTransportSession implements Session {
  readonly host: string;
  roundTrip: number | undefined;
  readonly closed: Promise<VoxelError>;
  readonly #webTransport: WebTransportLike;
  readonly #listeners = new Map<number, DatagramListener>();
  #nextFlow = 0;
  #closedBecause: VoxelError | undefined;
  /** When bytes came last, on the clock of `performance.now()`; Infinity: the server has been pinged since. */
  #heardAt = 0;

  constructor(webTransport: WebTransportLike, host: string) {
    this.host = host;
    this.#webTransport = webTransport;
    this.closed = webTransport.closed.then(
      ({ reason }) =>
        this.#onClosed(new VoxelError('session-closed', `the session was closed: ${reason || 'no reason given'}`)),
      (cause: unknown) =>
        this.#onClosed(new VoxelError('session-closed', `the session broke: ${describe(cause)}`, { cause })),
    );
    const { datagrams } = webTransport;
    // The newer name and the older one; an attribute that a browser does not have is left alone.
    if ('incomingMaxBufferedDatagrams' in datagrams) datagrams.incomingMaxBufferedDatagrams = BUFFERED_DATAGRAMS;
    if ('incomingHighWaterMark' in datagrams) datagrams.incomingHighWaterMark = BUFFERED_DATAGRAMS;
    void this.#dispatchDatagrams(datagrams.readable);
  }

  async *request(head: Uint8Array<ArrayBuffer>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    this.#heardAt = performance.now();
    const watch = setInterval(this.#pingIfSilent, LOOK_MS);
    try {
      const { readable, writable } = await this.#webTransport.createBidirectionalStream();
      for await (const bytes of exchange(readable, writable, head, signal)) {
        this.#heardAt = performance.now();
        yield bytes;
      }
    } catch (cause) {
      throw this.#explain(cause);
    } finally {
      clearInterval(watch);
    }
  }

  openFlow(onDatagram: DatagramListener): Flow {
    const id = this.#nextFlow++;
    this.#listeners.set(id, onDatagram);
    return { id, close: () => void this.#listeners.delete(id) };
  }

  close(): void {
    this.#webTransport.close({ closeCode: 0, reason: '' });
  }

  /** Never pauses: what nobody waits for any more is read and dropped, or it would keep newer datagrams out. */
  async #dispatchDatagrams(readable: ReadableStream<Uint8Array>): Promise<void> {
    const reader = readable.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        this.#heardAt = performance.now();
        const datagram = decodeDatagram(value);
        if (datagram) this.#listeners.get(datagram.flow)?.(datagram.offset, datagram.payload);
      }
    } catch {
      // Datagrams end with the session, and `closed` says why. Should one ever end without the other, it ends here.
      this.#webTransport.close({ closeCode: 0, reason: 'no more datagrams' });
    }
  }

  /**
   * A client that waits for bytes sends nothing. Where its address has changed meanwhile, as a NAT's mapping does, the server sends to
   * the old one until a packet shows the new one: an empty datagram, which QUIC repeats until it is acknowledged.
   */
  readonly #pingIfSilent = (): void => {
    if (performance.now() - this.#heardAt < SILENCE_MS) return;
    this.#heardAt = Infinity;
    const writer = this.#webTransport.datagrams.writable?.getWriter();
    writer?.write(new Uint8Array()).catch(ignore);
    writer?.releaseLock();
  };

  #onClosed(reason: VoxelError): VoxelError {
    this.#closedBecause = reason;
    return reason;
  }

  #explain(cause: unknown): VoxelError {
    if (this.#closedBecause) return this.#closedBecause;
    const ofSession = cause instanceof Error && 'source' in cause && cause.source === 'session';
    return ofSession
      ? new VoxelError('session-closed', `the session broke: ${describe(cause)}`, { cause })
      : new VoxelError('incomplete', `the stream failed: ${describe(cause)}`, { cause });
  }
}

/** Writes `head` and FIN, yields what comes back, and resets the stream when `signal` aborts or the caller stops early. */
async function* exchange(
  readable: ReadableStream<Uint8Array>,
  writable: WritableStream<Uint8Array<ArrayBuffer>>,
  head: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = readable.getReader();
  const writer = writable.getWriter();
  // Once a stream has failed both of these fail too, and the reader has said why.
  const reset = (): void => {
    reader.cancel().catch(ignore);
    writer.abort().catch(ignore);
  };
  signal.addEventListener('abort', reset);
  if (signal.aborted) reset();
  // An error may be answered before the whole head is through, so reading does not wait for it.
  writer.write(head).catch(ignore);
  writer.close().catch(ignore);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', reset);
    reset();
  }
}

function ignore(): void {}

/** Safari leaves the message of a WebTransportError empty. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('source' in cause ? `${cause.name} of the ${String(cause.source)}` : cause.name);
}
