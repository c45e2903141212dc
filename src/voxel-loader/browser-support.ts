/** What tells browsers apart: `navigator`, and whether there is a `WebTransport`. */
export interface BrowserFacts {
  readonly vendor: string;
  readonly hasWebTransport: boolean;
}

/**
 * Why this browser gets everything over HTTP; undefined: it is tried. The one place that judges browsers, and the only one
 * that tells them apart by name.
 */
export function reasonAgainst({ vendor, hasWebTransport }: BrowserFacts): string | undefined {
  if (!hasWebTransport) return 'this browser has no WebTransport';
  // Safari, and every browser of iOS: they are WebKit inside.
  if (vendor.startsWith('Apple')) return 'WebKit stops receiving after some time (its bug 319818)';
  return undefined;
}

export function browserFacts(): BrowserFacts {
  return { vendor: navigator.vendor, hasWebTransport: 'WebTransport' in globalThis };
}
