import type { Receiver } from '../../src/voxel-loader/index.js';
import type { AudioLoader } from '../segments/fetch/audio-loader.js';
import { withoutCmcd } from '../network/cmcd.js';
import type { Presentation } from '../port/presentation.js';
import type { DashRepresentation, Load, LoaderRequest, LoaderResponse } from './dash-types.js';
import { answer } from './player-request.js';
import { keyOf } from './presentation.js';

interface Kept {
  readonly url: string;
  readonly range: string | null;
  readonly bytes: ArrayBuffer;
}

export interface AudioInitializationOptions {
  readonly content: { readonly presentation: Pick<Presentation, 'hasVoxelData'> };
  readonly audio: Pick<AudioLoader, 'hasRefused'>;
  readonly receiver: Pick<Receiver, 'addInitialization'>;
}

/**
 * Has dash.js load each initialization segment of audio once. It asks again after every seek, and for the segment only then: the first
 * picture would wait for a round trip more. The receiver gets them, too: it cuts what comes of their segments.
 */
export class AudioInitialization {
  readonly #kept = new WeakMap<DashRepresentation, Kept>();

  constructor(private readonly options: AudioInitializationOptions) {}

  load(request: LoaderRequest, response: LoaderResponse, parentLoad: Load): void {
    const { content, audio, receiver } = this.options;
    const { customData } = request;
    const { representation, range } = customData.request;
    if (!representation || !content.presentation.hasVoxelData) return parentLoad(request, response);
    const url = withoutCmcd(request.url);
    const kept = this.#kept.get(representation);
    const isSame = kept?.url === url && kept.range === range;
    // Of a file that is not what it was the initialization segment may be another, too.
    if (isSame && !audio.hasRefused(customData.request)) {
      // Not before dash.js is ready for it.
      return queueMicrotask(() => answer(request, response, kept.bytes.slice(0)));
    }
    const { onloadend } = customData;
    customData.onloadend = () => {
      const { data } = response;
      if (data instanceof ArrayBuffer) {
        this.#kept.set(representation, { url, range, bytes: data.slice(0) });
        receiver.addInitialization(keyOf(representation), new Uint8Array(data.slice(0)));
      }
      onloadend?.();
    };
    parentLoad(request, response);
  }
}
