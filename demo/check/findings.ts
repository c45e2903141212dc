/** What the page looks at, in this order: each needs those before it. */
export const STEPS = [
  { id: 'secure-context', title: 'This page is a secure context', failed: 'this page is not secure' },
  { id: 'browser', title: 'This browser has WebTransport', failed: 'this browser has no WebTransport' },
  {
    id: 'discovery',
    title: 'The server says where its endpoint is (voxel.json)',
    failed: 'the server does not say where its endpoint is',
  },
  { id: 'policy', title: 'This page may use the server', failed: 'the server does not allow this page' },
  {
    id: 'session',
    title: 'A session opens: UDP gets through and the certificate is accepted',
    failed: 'no session opens',
  },
  { id: 'stream', title: 'A file comes over a stream', failed: 'no file comes over a stream' },
  { id: 'datagrams', title: 'Part of a video file comes as datagrams', failed: 'no datagrams come' },
] as const;

export type StepId = (typeof STEPS)[number]['id'];

/** `warning`: it works, but something is worth knowing. */
export type Verdict = 'works' | 'warning' | 'fails' | 'unknown';

export interface Finding {
  readonly verdict: Verdict;
  /** What was seen. */
  readonly seen: string;
  /** What to do about it. */
  readonly advice?: string;
}

const works = (seen: string): Finding => ({ verdict: 'works', seen });
const fails = (seen: string, advice: string): Finding => ({ verdict: 'fails', seen, advice });

export function ofSecureContext(isSecure: boolean, origin: string): Finding {
  return isSecure
    ? works(origin)
    : fails(`${origin} is not secure`, 'Open the page over https://, or as http://localhost or http://127.0.0.1.');
}

/** `against`: why VOXEL does not use the browser's WebTransport. */
export function ofBrowser(hasWebTransport: boolean, against: string | undefined): Finding {
  if (!hasWebTransport)
    return fails(
      'there is no WebTransport here',
      'Use a current Chrome, Edge or Firefox. Extensions, company policies and flags can turn it off, too. Videos play all the same, over HTTP.',
    );
  if (against === undefined) return works('datagrams and streams');
  return { verdict: 'warning', seen: against, advice: 'Videos play over HTTP in this browser.' };
}

/** What became of the request for voxel.json. */
export type DiscoveryOutcome =
  | { readonly kind: 'answer'; readonly endpoint: string; readonly hashes: number }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'blocked-by-page'; readonly directive: string }
  | { readonly kind: 'hidden-by-cors' }
  | { readonly kind: 'no-answer' };

export function ofDiscovery(outcome: DiscoveryOutcome, url: string, pageOrigin: string): Finding {
  switch (outcome.kind) {
    case 'answer': {
      const count = outcome.hashes === 1 ? 'one certificate hash' : `${outcome.hashes} certificate hashes`;
      const certificate =
        outcome.hashes > 0 ? count : 'no certificate hash: browsers must trust the certificate as it is';
      return works(`${outcome.endpoint}, ${certificate}`);
    }
    case 'status':
      return fails(
        `${url}: HTTP ${outcome.status}`,
        'The web server runs, but is no VOXEL server or does not pass this path on. Start voxel-serve or voxel-quiche there, or have the web server pass /.well-known/voxel.json on to it.',
      );
    case 'malformed':
      return fails(outcome.message, 'Something else answers at this path. Have the VOXEL server answer it.');
    case 'blocked-by-page':
      return fails(
        `the page's Content-Security-Policy (${outcome.directive}) forbids ${url}`,
        `Add ${new URL(url).origin} to connect-src of the page, and the endpoint that voxel.json names.`,
      );
    case 'hidden-by-cors':
      return fails(
        `${new URL(url).origin} answers, but not to pages of ${pageOrigin}`,
        `Start the server with --allow-origin ${pageOrigin}.`,
      );
    case 'no-answer':
      return fails(
        `${url}: no answer`,
        'The server is off, its name or port is wrong, or the network is down. Start it and look whether its address opens in a tab of its own.',
      );
  }
}

/** `allowed`: what the server says to a request with this page's origin; undefined: it does not say. */
export function ofPolicy(allowed: boolean | undefined, pageOrigin: string): Finding {
  if (allowed === undefined) return { verdict: 'unknown', seen: 'the server does not say' };
  return allowed
    ? works(`pages of ${pageOrigin} are allowed`)
    : fails(
        `the server does not allow pages of ${pageOrigin}`,
        `Start the server with --allow-origin ${pageOrigin}; it refuses sessions of other origins.`,
      );
}

/** What became of the attempt to open a session. */
export type SessionOutcome =
  | { readonly kind: 'open'; readonly ms: number }
  | { readonly kind: 'silent'; readonly seconds: number }
  | { readonly kind: 'refused'; readonly ms: number; readonly message: string }
  | { readonly kind: 'blocked-by-page'; readonly directive: string };

export function ofSession(outcome: SessionOutcome, endpoint: string, hashes: number, age: number | undefined): Finding {
  const { host, port } = new URL(endpoint);
  const udp = `UDP port ${port === '' ? 443 : port}`;
  switch (outcome.kind) {
    case 'open':
      return works(`${host}, after ${outcome.ms.toFixed(0)} ms`);
    case 'silent':
      return fails(
        `${host}: no answer within ${outcome.seconds} s`,
        `${udp} is blocked: by a firewall of this network, of the server, or by a cloud's security group. Open it, or try another network; many company networks let no UDP through. Videos play meanwhile over HTTP.`,
      );
    case 'blocked-by-page':
      return fails(
        `the page's Content-Security-Policy (${outcome.directive}) forbids ${endpoint}`,
        `Add ${new URL(endpoint).origin} to connect-src of the page.`,
      );
    case 'refused':
      return fails(
        `${host} ended the handshake after ${outcome.ms.toFixed(0)} ms: ${outcome.message}`,
        `${udpAdvice(endpoint, udp)} ${certificateAdvice(hashes, age)} A path or token of the endpoint that the server does not know looks the same.`,
      );
  }
}

/** Before certificates: what nobody listens to ends at once, too. */
function udpAdvice(endpoint: string, udp: string): string {
  const { hostname } = new URL(endpoint);
  const blocked = `First ${udp}: a firewall that rejects it at once looks like this, and so does a server that does not listen there.`;
  if (hostname === 'localhost')
    return `${blocked} Chromium's WebTransport takes localhost for ::1 alone, even where the page itself comes from 127.0.0.1: start the server with --host ::, or name 127.0.0.1.`;
  if (/^[\d.]+$|^\[/.test(hostname)) return blocked;
  return `${blocked} If ${hostname} has an IPv6 address, the server must answer there: pages come over IPv4 where IPv6 fails, WebTransport need not (--host ::).`;
}

function certificateAdvice(hashes: number, age: number | undefined): string {
  if (hashes === 0)
    return 'Then the certificate: without hashes in voxel.json it must be of a public authority, for this host name and not expired. One that you made or that your own authority signed does not do, though pages open with it. To rehearse make one that signs itself, with an elliptic curve and for at most 14 days: the servers announce its hash.';
  const cached =
    age !== undefined && age > 0 ? ` voxel.json came from a cache and is ${age} s old: it must not be cached.` : '';
  return `Then the certificate: its SHA-256 is not among those in voxel.json, or it has expired, or is valid for more than 14 days.${cached} Restart the server, or copy its voxel.json anew to wherever it is served from.`;
}

/** Bytes of a file as they came over a stream and over HTTP. */
export function ofStream(received: number, expected: number, problem: string | undefined): Finding {
  if (problem === undefined && received === expected) return works(`${received} bytes, the same as over HTTP`);
  return fails(
    problem ?? `${received} of ${expected} bytes came`,
    'The session is open but the request is not answered. Look at what the server prints; a proxy for UDP in between may be the reason.',
  );
}

/** `largest`: of a datagram, bytes; `problem`: the request failed. */
export function ofDatagrams(
  { received, expected, largest }: { readonly received: number; readonly expected: number; readonly largest: number },
  problem: string | undefined,
): Finding {
  if (problem !== undefined) return fails(problem, 'Look at what the server prints.');
  const share = `${((100 * received) / expected).toFixed(1)} % of ${expected} bytes, in datagrams of up to ${largest} bytes`;
  if (received === 0)
    return fails(
      share,
      'Streams work and datagrams do not: something between drops them, perhaps a proxy. VOXEL goes on with streams alone.',
    );
  if (received < expected)
    return { verdict: 'warning', seen: share, advice: 'The network loses packets; VOXEL repairs that.' };
  return works(share);
}

/** The findings as text, for a report to somebody else. */
export function reportText(
  findings: ReadonlyMap<StepId, Finding>,
  facts: { readonly page: string; readonly manifest: string; readonly browser: string; readonly date: string },
): string {
  const lines = STEPS.map(({ id, title }) => {
    const finding = findings.get(id);
    if (!finding) return `[ not tried ] ${title}`;
    const advice = finding.advice === undefined ? [] : [`      ${finding.advice}`];
    return [`[ ${finding.verdict} ] ${title}: ${finding.seen}`, ...advice].join('\n');
  });
  const head = ['Does WebTransport work here?', ...Object.entries(facts).map(([name, value]) => `${name}: ${value}`)];
  return `${[...head, '', ...lines].join('\n')}\n`;
}
