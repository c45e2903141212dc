import type { MediaPlayerClass } from 'dashjs';
import { bufferCapacity } from '../../src/delivery/index.js';

/** The response, as far as dash.js hands it to interceptors. */
interface InterceptedResponse {
  readonly request: { readonly customData: { readonly request: { resourceTimingValues?: unknown } } };
}

/** What is done to stock dash.js, and no more, so that it can be compared: the same buffer, and its throughput measured as it should be. */
export function prepareStockPlayer(player: MediaPlayerClass, bufferSegments: number, segmentDuration: number): void {
  giveBuffer(player, bufferSegments, segmentDuration);
  measureRightDownload(player);
}

/**
 * The buffer that the plugin sets: dash.js asks for a segment while buffer + segment duration < target, so that N segments are held
 * and one is in flight.
 */
export function giveBuffer(player: MediaPlayerClass, bufferSegments: number, segmentDuration: number): void {
  const time = bufferCapacity(bufferSegments, segmentDuration);
  const buffer = { bufferTimeDefault: time, bufferTimeAtTopQuality: time, bufferTimeAtTopQualityLongForm: time };
  const settings: object = { streaming: { buffer } };
  player.updateSettings(settings);
}

/**
 * With one file for each representation dash.js would measure every download by that of the initialization segment, the first timing
 * entry with the same URL. The plugin spares its rules that mistake, and dash.js' own are to be as well off (docs/TRIALS.md).
 */
export function measureRightDownload(player: MediaPlayerClass): void {
  player.addResponseInterceptor((response) => {
    (response as unknown as InterceptedResponse).request.customData.request.resourceTimingValues = null;
    return Promise.resolve(response);
  });
}

/**
 * Of a live stream, whose manifest says how far behind to play and how to catch up: dash.js' own threshold would count a buffer of a third
 * of a second as empty all the time; this is that of its own example of low latency, and the plugin's.
 */
export function prepareLivePlayer(player: MediaPlayerClass): void {
  const settings: object = { streaming: { buffer: { lowLatencyStallThreshold: 0.05 } } };
  player.updateSettings(settings);
}
