// The part of the plugin for hls.js that plays live streams: a file of its own, which is loaded with the first of them.
export { HlsLive } from './hls-live.js';
