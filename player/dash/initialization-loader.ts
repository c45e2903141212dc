import type { Receiver } from '../../src/voxel-loader/index.js';
import type { Content } from './content.js';
import type { Load, LoaderRequest, LoaderResponse } from './dash-types.js';
import type { Pipeline } from './pipeline.js';
import { keyOf } from './presentation.js';
import type { PlayerSettings } from './settings.js';

/** Has dash.js load initialization segments, and hands those of VOXEL video to the receiver. */
export class InitializationLoader {
  readonly #content: Content;
  readonly #settings: PlayerSettings;
  readonly #receiver: Pick<Receiver, 'addInitialization'>;
  readonly #pipeline: Pick<Pipeline, 'learn' | 'begin'>;

  constructor(
    content: Content,
    settings: PlayerSettings,
    receiver: Pick<Receiver, 'addInitialization'>,
    pipeline: Pick<Pipeline, 'learn' | 'begin'>,
  ) {
    this.#content = content;
    this.#settings = settings;
    this.#receiver = receiver;
    this.#pipeline = pipeline;
  }

  /** `segmentIndex`: of the segment that was last asked for. */
  load(request: LoaderRequest, response: LoaderResponse, parentLoad: Load, segmentIndex: number): unknown {
    const { customData } = request;
    const representation = customData.request.representation!;
    const map = this.#content.representation(representation);
    if (!map) return parentLoad(request, response);
    const onloadend = customData.onloadend;
    customData.onloadend = () => {
      const { data } = response;
      if (data instanceof ArrayBuffer) {
        this.#receiver.addInitialization(keyOf(representation), new Uint8Array(data.slice(0)));
        this.#pipeline.learn(map, request);
        // What waits for the index sees it first.
        void this.#content.ready(map, segmentIndex).then(() => this.#pipeline.begin(map));
      }
      onloadend?.();
    };
    const started = parentLoad(request, response);
    // Beside the initialization segment, and after it: the segment that follows would wait for it.
    this.#content.want([map], segmentIndex);
    if (Number.isFinite(representation.segmentDuration)) this.#settings.apply(representation.segmentDuration);
    return started;
  }
}
