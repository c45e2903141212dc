import { decodeVarint } from '../../src/manifest/varint.js';
import { parseDiscovery } from '../../src/voxel-loader/discovery.js';
import { PROTOCOL } from '../../src/voxel-loader/protocol.js';
import type { Endpoint } from '../../src/voxel-loader/types.js';
import type { DiscoveryOutcome, SessionOutcome } from './findings.js';

const HTTP_PATIENCE_MS = 5_000;
/** Where UDP is dropped nothing comes; a server at the far end of the world has answered long before. */
const SESSION_PATIENCE_MS = 8_000;
const ANSWER_PATIENCE_MS = 8_000;
/** What is asked for as datagrams: some hundred packets. */
const PROBE_BYTES = 200_000;
const FLOW = 1;
const DEADLINE_MS = 4_000;
const LAST_DATAGRAMS_MS = 500;

export interface Discovery {
  readonly outcome: DiscoveryOutcome;
  readonly endpoint?: Endpoint;
  /** Seconds that the answer has lain in a cache. */
  readonly age: number | undefined;
}

/** Runs `use` and returns with it which directive of the page's policy forbade something meanwhile. */
async function watchPolicy<Result>(use: () => Promise<Result>): Promise<[Result, string | undefined]> {
  let directive: string | undefined;
  const listen = (event: SecurityPolicyViolationEvent) => (directive = event.effectiveDirective);
  document.addEventListener('securitypolicyviolation', listen);
  try {
    const result = await use();
    await new Promise((resolve) => setTimeout(resolve)); // the event comes after the rejection
    return [result, directive];
  } finally {
    document.removeEventListener('securitypolicyviolation', listen);
  }
}

const patience = (): AbortSignal => AbortSignal.timeout(HTTP_PATIENCE_MS);

/** Asks for voxel.json at `url`. */
export async function discover(url: string): Promise<Discovery> {
  const ask = () => fetch(url, { cache: 'no-cache', signal: patience() }).catch(() => undefined);
  const [response, directive] = await watchPolicy(ask);
  if (directive !== undefined) return { outcome: { kind: 'blocked-by-page', directive }, age: undefined };
  if (!response) {
    const answers = await fetch(url, { mode: 'no-cors', cache: 'no-store', signal: patience() }).then(() => true, () => false); // prettier-ignore
    return { outcome: { kind: answers ? 'hidden-by-cors' : 'no-answer' }, age: undefined };
  }
  if (!response.ok) return { outcome: { kind: 'status', status: response.status }, age: undefined };
  const age = Number(response.headers.get('age') ?? 0);
  try {
    const endpoint = parseDiscovery(await response.json());
    return {
      outcome: { kind: 'answer', endpoint: endpoint.url, hashes: endpoint.certificateHashes.length },
      endpoint,
      age,
    };
  } catch (error) {
    return { outcome: { kind: 'malformed', message: `voxel.json: ${messageOf(error)}` }, age };
  }
}

/** Whether the server allows this page's origin; a browser says it to the server with OPTIONS even where the origin is the same. */
export async function isAllowed(url: string): Promise<boolean | undefined> {
  if (new URL(url).origin !== location.origin) return true; // its answer could be read
  const response = await fetch(url, { method: 'OPTIONS', signal: patience() }).catch(() => undefined);
  if (!response?.headers.has('vary') && !response?.headers.has('access-control-allow-origin')) return undefined;
  const allowed = response.headers.get('access-control-allow-origin');
  return allowed === '*' || allowed === location.origin;
}

export async function openSession(
  endpoint: Endpoint,
): Promise<{ readonly outcome: SessionOutcome; readonly session?: WebTransport }> {
  const hashes = endpoint.certificateHashes.map((value) => ({ algorithm: 'sha-256', value: value.slice() }));
  const started = performance.now();
  const open = async (): Promise<WebTransport | string | undefined> => {
    try {
      const session = new WebTransport(endpoint.url, {
        ...{ protocols: [PROTOCOL], requireUnreliable: true },
        ...(hashes.length > 0 && { serverCertificateHashes: hashes }),
      });
      session.closed.catch(() => undefined);
      session.datagrams.incomingHighWaterMark = 2_000;
      const isReady = await Promise.race([session.ready.then(() => true), sleep(SESSION_PATIENCE_MS)]);
      if (isReady === true) return session;
      session.close();
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  };
  const [result, directive] = await watchPolicy(open);
  const ms = performance.now() - started;
  if (directive !== undefined) return { outcome: { kind: 'blocked-by-page', directive } };
  if (result === undefined) return { outcome: { kind: 'silent', seconds: SESSION_PATIENCE_MS / 1000 } };
  if (typeof result === 'string') {
    const isSilent = ms >= SESSION_PATIENCE_MS / 2;
    return {
      outcome: isSilent ? { kind: 'silent', seconds: Math.round(ms / 1000) } : { kind: 'refused', ms, message: result },
    };
  }
  return { outcome: { kind: 'open', ms }, session: result };
}

/** The manifest over a stream; bytes of its body, or why there are none. */
export async function fetchOverStream(session: WebTransport, target: string): Promise<number | string> {
  const answer = await request(session, target, {});
  if (typeof answer === 'string') return answer;
  const head = headEnd(answer);
  const status = new TextDecoder().decode(answer.subarray(0, answer.indexOf(0x0d)));
  return status.includes(' 20') ? answer.length - head : status;
}

export interface DatagramCount {
  readonly received: number;
  readonly expected: number;
  readonly largest: number;
}

/** The first bytes of a file as datagrams: how many came; or why none was asked for. */
export async function countDatagrams(
  session: WebTransport,
  target: string,
  bytes: number,
): Promise<DatagramCount | string> {
  const expected = Math.min(bytes, PROBE_BYTES);
  const reader = (session.datagrams.readable as ReadableStream<Uint8Array>).getReader();
  let received = 0;
  let largest = 0;
  const count = async () => {
    for (;;) {
      const { value } = await reader.read();
      if (!value) return;
      const flow = decodeVarint(value, 0);
      const offset = flow && decodeVarint(value, flow.length);
      if (flow?.value !== FLOW || !offset) continue;
      received += value.length - flow.length - offset.length;
      largest = Math.max(largest, value.length);
    }
  };
  const counting = count().catch(() => undefined);
  const answer = await request(session, target, {
    range: `bytes=0-${expected - 1}`,
    'x-voxel-unreliable': `?1;flow=${FLOW}`,
    'x-voxel-deadline': String(DEADLINE_MS),
  });
  if (received < expected) await Promise.race([counting, sleep(LAST_DATAGRAMS_MS)]);
  await reader.cancel().catch(() => undefined);
  if (typeof answer === 'string') return answer;
  const [status = ''] = new TextDecoder().decode(answer).split('\r\n');
  return status.includes(' 206') ? { received, expected, largest } : status;
}

/** All of a response, or why it did not come. */
async function request(
  session: WebTransport,
  target: string,
  headers: Readonly<Record<string, string>>,
): Promise<Uint8Array | string> {
  const exchange = async (): Promise<Uint8Array> => {
    const { readable, writable } = await session.createBidirectionalStream();
    const fields = Object.entries({ host: location.host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    const writer = (writable as WritableStream<Uint8Array>).getWriter();
    await writer.write(new TextEncoder().encode(`GET ${target} HTTP/1.1\r\n${fields.join('')}\r\n`));
    await writer.close();
    return new Uint8Array(await new Response(readable as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer());
  };
  const late = sleep(ANSWER_PATIENCE_MS).then(() => `no answer within ${ANSWER_PATIENCE_MS / 1000} s`);
  return Promise.race([exchange().catch(messageOf), late]);
}

function headEnd(answer: Uint8Array): number {
  const text = new TextDecoder('latin1').decode(answer.subarray(0, 16_384));
  return text.indexOf('\r\n\r\n') + 4;
}

function sleep(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
