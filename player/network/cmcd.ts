/** Keys that go with every request of a session: those of `CMCD-Session` but `msd`, which is said once. */
const OF_SESSION = /^(?:cid|pr|s[ft]|sid|v)(?:=|$)/;

const QUERY = /([?&]CMCD=)([^&#]*)/;

/** In a field, or in an address. */
const STARTUP = /dash-startup(?:="|%3D%22)([\d.]+)/;

/** A request as CMCD goes with it: in its address, or in fields. */
export interface WithCmcd {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Fields of a request as they may go with another: of CMCD what speaks of the session. */
export function withoutCmcdOfRequest(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const fields = Object.entries(headers).map(([name, value]) => [
    name,
    isCmcd(name) ? changed(value, ofSession) : value,
  ]);
  return Object.fromEntries(fields.filter(([, value]) => value)) as Record<string, string>;
}

/** The address of a request without its CMCD. */
export function withoutCmcd(url: string): string {
  return url.replace(/([?&])CMCD=[^&#]*&?/, '$1').replace(/[?&]$/, '');
}

/** The address of a request as another may have it: CMCD in it that speaks of the session stays. */
export function withCmcdOfSession(url: string): string {
  const kept = inAddress(url, ofSession);
  return /[?&]CMCD=(?:[&#]|$)/.test(kept) ? withoutCmcd(kept) : kept;
}

/** A request with the CMCD of another in place of what its own says of the session. */
export function withCmcdOf<Request extends WithCmcd>(request: Request, other: WithCmcd): Request {
  const fields = Object.entries(other.headers ?? {}).filter(([name]) => isCmcd(name));
  const [, , value] = QUERY.exec(other.url) ?? [];
  const url = value === undefined ? request.url : request.url.replace(QUERY, (_, name: string) => name + value);
  return { ...request, url, headers: { ...request.headers, ...Object.fromEntries(fields) } };
}

/**
 * A request with what the plugin has to say in its CMCD: `score` of the segment of video that came last, and milliseconds of start-up. As it is
 * where it has no CMCD.
 */
export function withFigures<Request extends WithCmcd>(
  request: Request,
  score: number | undefined,
  startup: number | undefined,
): Request {
  const items = [itemOf('score', score), itemOf('startup', startup)].flat();
  const add = (own: readonly string[]): string[] => [...own, ...items].sort();
  const { headers = {} } = request;
  // Custom keys may be in any of the fields.
  const field = Object.keys(headers).find(isCmcd);
  return field
    ? { ...request, headers: { ...headers, [field]: changed(headers[field]!, add) } }
    : { ...request, url: inAddress(request.url, add) };
}

/** A request with the start-up that another was to say, where it was to say one. */
export function withStartupOf<Request extends WithCmcd>(request: Request, { url, headers = {} }: WithCmcd): Request {
  const [, startup] = STARTUP.exec([url, ...Object.values(headers)].join()) ?? [];
  return startup ? withFigures(request, undefined, Number(startup)) : request;
}

/** Custom keys have strings or tokens. */
function itemOf(name: string, value: number | undefined): string[] {
  return value === undefined ? [] : [`com.voxel-dash-${name}="${Number(value.toFixed(5))}"`];
}

const isCmcd = (name: string): boolean => /^cmcd-/i.test(name);

type Change = (items: readonly string[]) => readonly string[];

const ofSession: Change = (items) => items.filter((item) => OF_SESSION.test(item));

function inAddress(url: string, change: Change): string {
  return url.replace(QUERY, (all, name: string, value: string) => {
    try {
      // Players that write forms' encoding have a plus for a space.
      return name + encodeURIComponent(changed(decodeURIComponent(value.replaceAll('+', ' ')), change));
    } catch {
      // The page has written something else there.
      return all;
    }
  });
}

/** The list with other members. Strings and inner lists may have commas. */
function changed(cmcd: string, change: Change): string {
  const items = cmcd.match(/(?:"(?:[^"\\]|\\.)*"|\((?:"(?:[^"\\]|\\.)*"|[^")])*\)|[^,"(])+/g) ?? [];
  return change(items.map((item) => item.trim())).join(',');
}
