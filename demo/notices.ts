import type { FallbackEvent, SessionEvent } from '../player/api/types.js';
import type { Support } from './support.js';

/** A problem in words for the person at the page. */
export interface Notice {
  /** The same problem has the same key, however often it comes. */
  readonly key: NoticeKey;
  /** `error`: the video does not play. `warning`: it is not played as asked; whether it plays is not known. */
  readonly severity: 'error' | 'warning';
  readonly title: string;
  /** What it means and what to do. */
  readonly advice: string;
  /** The message as the browser, dash.js or the plugin gave it. */
  readonly detail: string;
}

/** What each known problem means and what to do about it. */
export const catalogue = {
  settings: {
    severity: 'warning',
    title: 'A setting in the address makes no sense',
    advice: 'Its default is used instead. Choose in the form and press Apply.',
  },
  'no-secure-context': {
    severity: 'warning',
    title: 'This page is not a secure context',
    advice:
      'Browsers offer WebTransport only there, so the video is asked for over HTTP. Open the page over https:// or, on this machine, as http://127.0.0.1 or http://localhost.',
  },
  'no-webtransport': {
    severity: 'warning',
    title: 'This browser has no WebTransport',
    advice:
      'The video is asked for over HTTP instead. To see datagrams and repair, use Chrome, Edge or another Chromium.',
  },
  'no-media-source': {
    severity: 'error',
    title: 'This browser cannot play DASH video',
    advice: 'It lacks Media Source Extensions or H.264 in MP4. Use Chrome, Edge, Firefox or Safari with their codecs.',
  },
  'no-voxel-server': {
    severity: 'warning',
    title: 'The server of this manifest announces no WebTransport',
    advice:
      'It answered no usable /.well-known/voxel.json, so the video is asked for over HTTP. Serve the folder with voxel-serve, without --no-webtransport.',
  },
  'discovery-failed': {
    severity: 'warning',
    title: 'The address for WebTransport could not be learned',
    advice:
      'The server is down, or does not let this page read its /.well-known/voxel.json (voxel-serve --allow-origin). It is asked again; the video is asked for over HTTP meanwhile.',
  },
  'session-failed': {
    severity: 'warning',
    title: 'No WebTransport session could be opened',
    advice:
      'The video is asked for over HTTP. Browsers do not say why; the usual reasons are a firewall that blocks UDP, a self-made certificate that has expired or been replaced (reload the page), or a server that was restarted on another port.',
  },
  'no-voxel-data': {
    severity: 'warning',
    title: 'This manifest has no VOXEL data',
    advice:
      'It plays as ordinary DASH over HTTP, and there is nothing to show about its segments. Prepare the video with voxel-prepare, or choose plain dash.js.',
  },
  fallback: {
    severity: 'warning',
    title: 'Some segments were asked for over HTTP',
    advice:
      'Their VOXEL request failed, so dash.js asks for them in the ordinary way: those that come are whole, and show above how they came.',
  },
  'manifest-missing': {
    severity: 'error',
    title: 'The manifest is missing',
    advice:
      'The server is there but has no such file. Check the manifest address, or prepare a video with voxel-prepare.',
  },
  'manifest-invalid': {
    severity: 'error',
    title: 'The manifest is no DASH manifest that dash.js can play',
    advice: 'Open its address in a tab: it should be XML that begins with <MPD. voxel-prepare writes such a file.',
  },
  'server-down': {
    severity: 'error',
    title: 'The server does not answer',
    advice:
      'Start it (npm start, or voxel-serve FOLDER) and reload. A manifest on another host must also allow this page (CORS).',
  },
  'segment-missing': {
    severity: 'error',
    title: 'A part of the video is missing',
    advice: 'The manifest names a file or a range that the server does not have. Prepare the video again.',
  },
  decode: {
    severity: 'error',
    title: 'The browser cannot decode the video',
    advice:
      'Try plain dash.js with the same manifest: if that plays, this is a fault of the plugin. Please report it with the exported run.',
  },
  playback: {
    severity: 'error',
    title: 'Playback failed',
    advice: 'The message below is from dash.js or the browser.',
  },
} satisfies Record<string, Omit<Notice, 'key' | 'detail'>>;

export type NoticeKey = keyof typeof catalogue;

export function notice(key: NoticeKey, detail: string): Notice {
  return { key, detail, ...catalogue[key] };
}

/** An `error` event of dash.js: `status` is the HTTP status of a failed download, 0 where no answer came. */
export interface DashError {
  readonly code: number;
  readonly message: string;
  readonly status?: number | undefined;
}

/** Codes of dash.js 5.2 (its `Errors`). */
const dashCodes = {
  manifestParsing: 10,
  manifestLoading: 11,
  noMediaSource: 23,
  manifestDownload: 25,
  segmentDownload: 27,
  initializationDownload: 28,
  manifestSyntax: 31,
  noStreams: 32,
} as const;

/** What an error of dash.js means for the viewer; undefined where a second event says the same with more in it. */
export function dashErrorNotice({ code, message, status }: DashError): Notice | undefined {
  const unanswered = status === undefined || status === 0;
  switch (code) {
    case dashCodes.manifestLoading: // manifestDownload came just before
      return undefined;
    case dashCodes.manifestDownload:
      return unanswered
        ? notice('server-down', message)
        : notice('manifest-missing', `${message} (HTTP status ${status})`);
    case dashCodes.manifestParsing:
    case dashCodes.manifestSyntax:
    case dashCodes.noStreams:
      return notice('manifest-invalid', message);
    case dashCodes.segmentDownload:
    case dashCodes.initializationDownload:
      return unanswered
        ? notice('server-down', message)
        : notice('segment-missing', `${message} (HTTP status ${status})`);
    case dashCodes.noMediaSource:
      return notice('no-media-source', message);
    default:
      return notice('playback', `${message} (dash.js error ${code})`);
  }
}

type SessionFailure = Omit<Exclude<SessionEvent, { state: 'opened' }>, 'state'>;

/** What a session that could not be opened means for the viewer. */
export function sessionNotice(
  { code, message, retryIn }: SessionFailure,
  support: Pick<Support, 'secureContext'>,
): Notice {
  switch (code) {
    case 'unsupported':
      return notice(support.secureContext ? 'no-webtransport' : 'no-secure-context', message);
    case 'discovery-failed':
      return notice(retryIn === undefined ? 'no-voxel-server' : 'discovery-failed', message);
    default:
      return notice('session-failed', message);
  }
}

/** Codes of requests that had no session to go to: `sessionNotice` says why, or it is about to open. */
const withoutSession = ['unsupported', 'discovery-failed', 'session-failed', 'session-opening', 'not-prepared'];

/** What a request that went over HTTP instead means for the viewer; undefined: nothing, or another notice says it. */
export function fallbackNotice({
  index,
  code,
  message,
}: Pick<FallbackEvent, 'index' | 'code' | 'message'>): Notice | undefined {
  if (withoutSession.includes(code)) return undefined;
  return notice('fallback', `${index === undefined ? '' : `segment ${index}, `}${code}: ${message}`);
}
