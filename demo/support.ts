/** One thing that the page needs of the browser. */
export interface SupportItem {
  readonly name: string;
  readonly present: boolean;
  /** What follows from it. */
  readonly meaning: string;
}

/** The parts of `window` that tell. */
export interface BrowserScope {
  readonly isSecureContext: boolean;
  readonly WebTransport?: unknown;
  readonly MediaSource?: { isTypeSupported(type: string): boolean } | undefined;
}

export interface Support {
  readonly secureContext: boolean;
  readonly webTransport: boolean;
  readonly mediaSource: boolean;
  readonly h264: boolean;
}

/** High profile, level 4.0: what the ladder uses up to 1080p. */
const h264Type = 'video/mp4; codecs="avc1.640028"';

export function checkSupport(scope: BrowserScope): Support {
  return {
    secureContext: scope.isSecureContext,
    webTransport: typeof scope.WebTransport === 'function',
    mediaSource: scope.MediaSource !== undefined,
    h264: scope.MediaSource?.isTypeSupported(h264Type) ?? false,
  };
}

/** The same in words, for the panel. */
export function supportItems(support: Support): SupportItem[] {
  const { secureContext, webTransport, mediaSource, h264 } = support;
  return [
    {
      name: 'Secure context',
      present: secureContext,
      meaning: secureContext ? 'WebTransport is allowed here' : 'needed for WebTransport: https:// or http://127.0.0.1',
    },
    {
      name: 'WebTransport',
      present: webTransport,
      meaning: webTransport ? 'streams and datagrams' : 'missing: the video comes over HTTP',
    },
    {
      name: 'Media Source Extensions',
      present: mediaSource,
      meaning: mediaSource ? 'dash.js can play' : 'missing: dash.js cannot play here',
    },
    { name: 'H.264 in MP4', present: h264, meaning: h264 ? 'decoder present' : 'missing: the video cannot be decoded' },
  ];
}
