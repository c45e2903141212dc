import type { ByteRange } from '../../src/manifest/byte-range.js';
import type { WebTransportConstructor, WebTransportLike } from '../../src/voxel-loader/worker/session.js';
import { encodeVarint } from '../../src/manifest/varint.js';
import { fileBytes } from './segment-content.js';

/** A request that has arrived whole, and the server's end of its stream. What follows its end has no effect. */
export class FakeRequest {
  #cancelled = false;
  #ended = false;
  readonly ranges: readonly ByteRange[];
  readonly flow: number | undefined;
  /** The `x-voxel-parity` field. */
  readonly parity: string | undefined;
  /** The bytes asked for. */
  readonly body: Uint8Array;

  constructor(
    readonly head: string,
    private readonly stream: ReadableStreamDefaultController<Uint8Array>,
  ) {
    this.ranges = [...(/range: bytes=(.*)\r\n/.exec(head)?.[1] ?? '').matchAll(/(\d+)-(\d+)/g)].map((match) => ({
      start: Number(match[1]),
      end: Number(match[2]) + 1,
    }));
    const flow = /x-voxel-unreliable: \?1;flow=(\d+)\r\n/.exec(head)?.[1];
    this.flow = flow === undefined ? undefined : Number(flow);
    this.parity = /x-voxel-parity: (.*)\r\n/.exec(head)?.[1];
    this.body = fileBytes(this.ranges);
  }

  /** True once the client has reset the stream. */
  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** What the client did. */
  cancel(): void {
    this.#cancelled = this.#ended = true;
  }

  send(bytes: Uint8Array | string): void {
    if (!this.#ended) this.stream.enqueue(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes);
  }

  /** FIN. */
  finish(): void {
    if (!this.#ended) this.stream.close();
    this.#ended = true;
  }

  reset(): void {
    this.fail('stream');
  }

  fail(source: 'stream' | 'session'): void {
    if (!this.#ended) this.stream.error(webTransportError(source));
    this.#ended = true;
  }
}

/** A VOXEL server in memory that does what a test tells it; `WebTransport` is what the client gets. */
export class FakeVoxelServer {
  readonly requests: FakeRequest[] = [];
  /** What the client opened the session with. */
  url: string | undefined;
  options: WebTransportOptions | undefined;
  closedByClient = false;
  readonly datagramSettings = { incomingHighWaterMark: 1 };
  /** Datagrams of the client. */
  readonly datagrams: Uint8Array[] = [];
  readonly WebTransport: WebTransportConstructor;
  #datagrams!: ReadableStreamDefaultController<Uint8Array>;
  #close!: (info: { closeCode: number; reason: string }) => void;
  #break!: (error: Error) => void;
  #ended = false;

  constructor(
    onRequest: (request: FakeRequest) => void = () => {},
    readonly ready: Promise<unknown> = Promise.resolve(),
  ) {
    const connect = (url: string, options: WebTransportOptions): WebTransportLike => {
      this.url = url;
      this.options = options;
      return this.#connection(onRequest);
    };
    this.WebTransport = function (url: string, options: WebTransportOptions) {
      return connect(url, options);
    } as unknown as WebTransportConstructor;
  }

  sendDatagram(bytes: Uint8Array): void {
    if (!this.#ended) this.#datagrams.enqueue(bytes);
  }

  closeSession(reason: string): void {
    this.#end();
    this.#close({ closeCode: 0, reason });
  }

  /** As when the network is gone. */
  breakSession(): void {
    this.#end();
    this.#break(webTransportError('session'));
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const request of this.requests) request.fail('session');
    this.#datagrams.error(webTransportError('session'));
  }

  #connection(onRequest: (request: FakeRequest) => void): WebTransportLike {
    const readable = new ReadableStream<Uint8Array>({ start: (controller) => void (this.#datagrams = controller) });
    const writable = new WritableStream<Uint8Array>({ write: (bytes) => void this.datagrams.push(bytes) });
    return {
      ready: this.ready,
      closed: new Promise((resolve, reject) => {
        this.#close = resolve;
        this.#break = reject;
      }),
      datagrams: Object.assign(this.datagramSettings, { readable, writable }),
      createBidirectionalStream: () => Promise.resolve(this.#stream(onRequest)),
      close: () => {
        this.closedByClient = true;
        this.#close({ closeCode: 0, reason: '' });
      },
    };
  }

  #stream(onRequest: (request: FakeRequest) => void) {
    let head = '';
    let request: FakeRequest | undefined;
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    const readable = new ReadableStream<Uint8Array>({
      start: (started) => void (controller = started),
      cancel: () => request?.cancel(),
    });
    const writable = new WritableStream<Uint8Array<ArrayBuffer>>({
      write: (bytes) => void (head += new TextDecoder().decode(bytes)),
      close: () => {
        request = new FakeRequest(head, controller);
        this.requests.push(request);
        onRequest(request);
      },
    });
    return { readable, writable };
  }
}

export const responses = {
  reliable: (length: number) => `HTTP/1.1 206 Partial Content\r\ncontent-length: ${length}\r\n\r\n`,
  unreliable: (length: number, flow: number, parity?: string) =>
    `HTTP/1.1 206 Partial Content\r\nx-voxel-unreliable: ?1;flow=${flow}\r\nx-voxel-length: ${length}\r\n` +
    (parity === undefined ? '' : `x-voxel-parity: ${parity}\r\n`) +
    'transfer-encoding: chunked\r\ntrailer: x-voxel-sent, x-voxel-rtt, cmsd-dynamic\r\n\r\n',
  trailer: (sent: number, rtt: number, parity?: number) =>
    `0\r\nx-voxel-sent: ${sent};datagrams=1${parity === undefined ? '' : `;parity=${parity}`}\r\nx-voxel-rtt: ${rtt}\r\n\r\n`,
  error: (status: number) => `HTTP/1.1 ${status} Error\r\ncontent-length: 4\r\n\r\nbad\n`,
};

export function datagram(flow: number, offset: number, payload: Uint8Array): Uint8Array {
  return Uint8Array.from([...encodeVarint(flow), ...encodeVarint(offset), ...payload]);
}

function webTransportError(source: 'stream' | 'session'): Error {
  // Safari gives no message.
  return Object.assign(new Error(''), { name: 'WebTransportError', source });
}
