/** CMCD that speaks of one request; what speaks of the session (`CMCD-Session`) goes with every one. */
const CMCD_OF_REQUEST = ['cmcd-request', 'cmcd-object', 'cmcd-status'];

/** Fields of a request as they may go with another. */
export function withoutCmcdOfRequest(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CMCD_OF_REQUEST.includes(name.toLowerCase())));
}

/** CMCD in the query speaks of one request. */
export function withoutCmcd(url: string): string {
  return url.replace(/([?&])CMCD=[^&#]*&?/, '$1').replace(/[?&]$/, '');
}
