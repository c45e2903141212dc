import type { PageRequests } from '../network/page-requests.js';
import type { AudioLoader } from '../segments/fetch/audio-loader.js';
import { withoutCmcd, withFigures } from '../network/cmcd.js';
import type { SegmentLoader } from '../segments/fetch/segment-loader.js';
import type { Journal } from '../segments/record/journal.js';
import type { PluginParts } from '../segments/wiring.js';
import type { AudioInitialization } from './audio-initialization.js';
import {
  requestTypes,
  type FragmentRequest,
  type Load,
  type LoaderRequest,
  type LoaderResponse,
} from './dash-types.js';
import type { Extension } from './extensions.js';
import type { HeadStart } from './head-start.js';
import type { InitializationLoader } from './initialization-loader.js';
import { onAbort, playerRequest } from './player-request.js';

export interface LoaderAdapterOptions {
  /** Starts to open a session with the server of that manifest. */
  readonly openSession: (manifestUrl: string) => void;
  readonly page: Pick<PageRequests, 'learn'>;
  readonly initializations: InitializationLoader;
  readonly segments: SegmentLoader;
  readonly audio: Pick<AudioLoader, 'load'>;
  readonly audioInitialization: AudioInitialization;
  readonly journal: Pick<Journal, 'score'>;
  readonly viewing: Pick<PluginParts['viewing'], 'takeStartup'>;
  readonly headStart: Pick<HeadStart, 'load' | 'keepFor' | 'startedAt' | 'take'>;
}

/** Takes over dash.js' requests for video and audio; all others pass on to its own loader. */
export class LoaderAdapter implements Extension {
  readonly #tried = new WeakSet<FragmentRequest>();

  constructor(private readonly options: LoaderAdapterOptions) {}

  /** True while that request is delivered over the session. */
  ownsRequest(request: FragmentRequest): boolean {
    return this.options.segments.has(request);
  }

  load(request: LoaderRequest, response: LoaderResponse, dashLoad: Load): void {
    const { openSession, page, initializations, segments, audio, audioInitialization, headStart, journal, viewing } =
      this.options;
    const parentLoad = this.#patient((own, answer) => headStart.load(own, answer, dashLoad));
    const fragment = request.customData.request;
    const { type, mediaType } = fragment;
    if (type === requestTypes.manifest) page.learn(request, 'manifest');
    if (type === requestTypes.initialization || type === requestTypes.media) {
      page.learn(request, 'media');
      // dash.js writes CMCD there, too, but not of what it will ask for next.
      fragment.url = withoutCmcd(fragment.url);
    }
    const isVideo = mediaType === 'video' && fragment.representation !== null;
    if (isVideo && type === requestTypes.initialization) {
      initializations.load(request, response, parentLoad, segments.lastIndex);
      // dash.js takes an index box (`sidx`) for a media segment, too, but for one without a number.
    } else if (isVideo && type === requestTypes.media && Number.isInteger(fragment.index)) {
      Object.assign(request, withFigures(request, journal.score, viewing.takeStartup()));
      headStart.keepFor(request);
      initializations.followedBy(fragment);
      const answer = playerRequest(request, response, parentLoad, headStart);
      segments.load(fragment, request, answer);
    } else if (mediaType === 'audio' && type === requestTypes.media) {
      audio.load(fragment, request, playerRequest(request, response, parentLoad));
    } else if (mediaType === 'audio' && type === requestTypes.initialization) {
      audioInitialization.load(request, response, parentLoad);
    } else parentLoad(request, response);
    // The session opens while the MPD is on its way, which goes first.
    if (type === requestTypes.manifest) openSession(request.url);
  }

  /**
   * Without a network dash.js would give up after its fourth attempt, within seconds and for good: from the second on, each
   * waits for the network. The first does not: a service worker may have the answer.
   */
  #patient(load: Load): Load {
    return (request, response) => {
      const fragment = request.customData.request;
      const isRetry = this.#tried.has(fragment);
      this.#tried.add(fragment);
      if (!isRetry || navigator.onLine) return load(request, response);
      const waiting = new AbortController();
      onAbort(request, () => waiting.abort());
      addEventListener('online', () => load(request, response), { once: true, signal: waiting.signal });
    };
  }
}
