export interface FetchOptions {
  readonly target: string;
  /** As in a `Range` header, without the unit. */
  readonly ranges: string;
  /** Given: the body comes as datagrams of this flow. */
  readonly flow?: number;
  /** Asked for on the same session afterwards. */
  readonly then?: string;
}

export interface Fetched {
  readonly protocol: string;
  readonly status: string;
  readonly headers: Record<string, string>;
  readonly trailers: Record<string, string>;
  /** SHA-256 of the body in hexadecimal; what has not come is zero. */
  readonly digest: string;
  /** `[offset, bytes]` of each datagram that came, in the order of arrival; none when the body came on the stream. */
  readonly datagrams: readonly (readonly [offset: number, bytes: number])[];
  readonly megabitsPerSecond: number;
  readonly secondStatus: string | undefined;
}

/**
 * Opens a session as the discovery file says, and makes one request on it; for `page.evaluate`, so it holds all that it
 * uses. A second, plain reading of docs/PROTOCOL.md beside the player's own.
 */
export async function connectAndFetch(options: FetchOptions): Promise<Fetched> {
  /** Datagrams may be lost, so silence is the only end of a flow that is not whole. */
  const SILENCE_MS = 500;
  const QUEUED_DATAGRAMS = 4000;

  function parseFields(lines: string[]): Record<string, string> {
    return Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2) as [string, string]));
  }

  function readVarint(bytes: Uint8Array, offset: number): [value: number, next: number] {
    const length = 1 << (bytes[offset]! >> 6);
    let value = bytes[offset]! & 0x3f;
    for (let index = 1; index < length; index++) value = value * 256 + bytes[offset + index]!;
    return [value, offset + length];
  }

  async function request(session: WebTransport, head: string): Promise<Uint8Array> {
    const stream = await session.createBidirectionalStream();
    const writer = stream.writable.getWriter() as WritableStreamDefaultWriter<Uint8Array>;
    await writer.write(new TextEncoder().encode(head));
    await writer.close();
    return new Uint8Array(await new Response(stream.readable as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer());
  }

  function splitHead(response: Uint8Array): { lines: string[]; rest: Uint8Array } {
    const text = new TextDecoder('latin1').decode(response);
    const end = text.indexOf('\r\n\r\n');
    return { lines: text.slice(0, end).split('\r\n'), rest: response.subarray(end + 4) };
  }

  function requestHead(target: string): string {
    const unreliable = options.flow === undefined ? '' : `x-voxel-unreliable: ?1;flow=${options.flow}\r\n`;
    return `GET ${target} HTTP/1.1\r\nhost: ${location.host}\r\nrange: bytes=${options.ranges}\r\n${unreliable}\r\n`;
  }

  const discovery = (await (await fetch('/.well-known/voxel.json')).json()) as {
    endpoint: string;
    certificateHashes: string[];
  };
  const session = new WebTransport(discovery.endpoint, {
    protocols: ['voxel-1'],
    requireUnreliable: true,
    serverCertificateHashes: discovery.certificateHashes.map((hash) => ({
      algorithm: 'sha-256',
      value: Uint8Array.from(atob(hash), (character) => character.charCodeAt(0)),
    })),
  });
  await session.ready;
  session.datagrams.incomingHighWaterMark = QUEUED_DATAGRAMS;

  const received: { offset: number; payload: Uint8Array }[] = [];
  let receivedBytes = 0;
  let lastDatagram = 0;
  const reader = (session.datagrams.readable as ReadableStream<Uint8Array>).getReader();
  const reading = (async () => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const [flow, offsetAt] = readVarint(value, 0);
      const [offset, payloadAt] = readVarint(value, offsetAt);
      lastDatagram = performance.now();
      if (flow !== options.flow) continue;
      received.push({ offset, payload: value.subarray(payloadAt) });
      receivedBytes += value.length - payloadAt;
    }
  })().catch(() => undefined);

  const started = performance.now();
  const response = splitHead(await request(session, requestHead(options.target)));
  const headers = parseFields(response.lines.slice(1));
  let body = response.rest;
  let trailers: Record<string, string> = {};
  if ('x-voxel-unreliable' in headers) {
    const length = Number(headers['x-voxel-length']);
    const answered = performance.now();
    while (receivedBytes < length && performance.now() - Math.max(answered, lastDatagram) < SILENCE_MS) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    trailers = parseFields(new TextDecoder().decode(response.rest).split('\r\n').slice(1, -2));
    body = new Uint8Array(length);
    for (const { offset, payload } of received) body.set(payload, offset);
  }
  const second = options.then === undefined ? undefined : await request(session, requestHead(options.then));
  session.close();
  await reading;

  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>));
  return {
    protocol: (session as unknown as { protocol: string }).protocol,
    status: response.lines[0]!,
    headers,
    trailers,
    digest: Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join(''),
    datagrams: received.map(({ offset, payload }) => [offset, payload.length] as const),
    megabitsPerSecond: (body.length * 8) / 1000 / (lastDatagram - started),
    secondStatus: second && splitHead(second).lines[0],
  };
}
