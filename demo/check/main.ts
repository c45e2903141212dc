import { browserFacts, reasonAgainst } from '../../src/voxel-loader/browser-support.js';
import { byId, create } from '../dom.js';
import {
  type Finding,
  ofBrowser,
  ofDatagrams,
  ofDiscovery,
  ofPolicy,
  ofSecureContext,
  ofSession,
  ofStream,
  reportText,
  type StepId,
  STEPS,
  type Verdict,
} from './findings.js';
import { countDatagrams, discover, fetchOverStream, isAllowed, openSession } from './probes.js';

const WORDS: Readonly<Record<Verdict, string>> = {
  works: 'works',
  warning: 'works, but',
  fails: 'fails',
  unknown: 'not known',
};

declare global {
  interface Window {
    /** For tests: what was found, once all is done. */
    webTransportCheck?: { readonly isDone: boolean; readonly report: string };
  }
}

const manifest = new URL(new URLSearchParams(location.search).get('manifest') ?? '/media/manifest.mpd', location.href);
const list = byId('steps', HTMLElement);
const summary = byId('summary', HTMLElement);
const findings = new Map<StepId, Finding>();
const rows = new Map(STEPS.map(({ id, title }) => [id, create('li', { class: 'waiting', children: [create('b', { text: title })] })])); // prettier-ignore
list.append(...rows.values());
byId('manifest', HTMLInputElement).value = manifest.href;

/** Shows a finding; returns whether the next step makes sense. */
function found(id: StepId, finding: Finding): boolean {
  findings.set(id, finding);
  const row = rows.get(id)!;
  row.className = finding.verdict;
  row.append(
    create('span', { class: 'verdict', text: WORDS[finding.verdict] }),
    create('span', { class: 'seen', text: finding.seen }),
    ...(finding.advice === undefined ? [] : [create('p', { class: 'advice', text: finding.advice })]),
  );
  return finding.verdict !== 'fails';
}

async function check(): Promise<void> {
  const isSecure = found('secure-context', ofSecureContext(isSecureContext, location.origin));
  const facts = browserFacts();
  const hasSession = found('browser', ofBrowser(facts.hasWebTransport, reasonAgainst(facts)));
  const url = new URL('/.well-known/voxel.json', manifest).href;
  const { outcome, endpoint, age } = await discover(url);
  if (!found('discovery', ofDiscovery(outcome, url, location.origin)) || !endpoint) return;
  const mayUse = found('policy', ofPolicy(await isAllowed(url), location.origin));
  if (!isSecure || !hasSession || !mayUse) return;
  const attempt = await openSession(endpoint);
  if (!found('session', ofSession(attempt.outcome, endpoint.url, endpoint.certificateHashes.length, age))) return;
  await useSession(attempt.session!);
}

async function useSession(session: WebTransport): Promise<void> {
  const response = await fetch(manifest, { cache: 'no-cache' }).catch(() => undefined);
  if (!response?.ok) {
    found('stream', {
      verdict: 'unknown',
      seen: `${manifest.href} is not there: ${response ? `HTTP ${response.status}` : 'no answer'}`,
      advice: 'Enter the address of a manifest on this server below.',
    });
    return;
  }
  const text = await response.text();
  const expected = new TextEncoder().encode(text).length;
  const came = await fetchOverStream(session, manifest.pathname + manifest.search);
  const problem = typeof came === 'string' ? came : undefined;
  if (!found('stream', ofStream(problem === undefined ? Number(came) : 0, expected, problem))) return;
  const media = mediaOf(text) ?? manifest;
  const size = await fetch(media, { method: 'HEAD' }).then(({ headers }) => Number(headers.get('content-length')), () => 0); // prettier-ignore
  const counted = await countDatagrams(session, media.pathname + media.search, size || expected);
  const isProblem = typeof counted === 'string';
  const count = isProblem ? { received: 0, expected: 1, largest: 0 } : counted;
  found('datagrams', ofDatagrams(count, isProblem ? counted : undefined));
  session.close();
}

/** The first media file that the manifest names; undefined: it names none by itself. */
function mediaOf(mpd: string): URL | undefined {
  const bases = [
    ...new DOMParser().parseFromString(mpd, 'application/xml').querySelectorAll('Representation > BaseURL'),
  ];
  const name = bases[0]?.textContent.trim();
  return name === undefined ? undefined : new URL(name, manifest);
}

function conclude(): void {
  const failed = STEPS.find(({ id }) => findings.get(id)?.verdict === 'fails');
  const isComplete = findings.get('datagrams') !== undefined;
  summary.className = failed ? 'fails' : isComplete ? 'works' : 'warning';
  summary.textContent = failed
    ? `No: ${failed.failed}.`
    : isComplete
      ? 'Yes: videos come over WebTransport here.'
      : 'As far as it could be tried.';
  const report = reportText(findings, {
    page: location.href,
    manifest: manifest.href,
    browser: navigator.userAgent,
    date: new Date().toISOString(),
  });
  const copy = byId('copy', HTMLButtonElement);
  byId('report', HTMLElement).textContent = report;
  copy.disabled = false;
  copy.addEventListener('click', () => {
    // On pages that are not secure there is no clipboard, whatever its type says.
    const { clipboard } = navigator as { readonly clipboard?: Clipboard };
    const done = clipboard ? clipboard.writeText(report) : Promise.reject(new Error('no clipboard here'));
    done.then(() => (copy.textContent = 'Copied'), () => getSelection()?.selectAllChildren(byId('report', HTMLElement))); // prettier-ignore
  });
  window.webTransportCheck = { isDone: true, report };
}

void check().finally(conclude);
