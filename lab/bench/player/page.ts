import type { MediaPlayerClass } from 'dashjs';
import type { BenchPage, PlayerName, PlaySettings } from './job.js';

/** The page loads the unmodified dash.js and the package's script with script elements of its own. */
declare const dashjs: typeof import('dashjs');
declare const voxelDash: typeof import('../../../player/index.js');

function start(player: PlayerName, { manifest, bitrate, segmentDuration }: PlaySettings): HTMLVideoElement {
  const video = document.querySelector('video')!;
  const dash: MediaPlayerClass = dashjs.MediaPlayer().create();
  // One segment held and one in flight, for both: downloads come as fast as they are played.
  const bufferTime = 2 * segmentDuration;
  const settings: object = {
    streaming: {
      abr: { autoSwitchBitrate: { video: false }, initialBitrate: { video: bitrate } },
      buffer: {
        bufferTimeDefault: bufferTime,
        bufferTimeAtTopQuality: bufferTime,
        bufferTimeAtTopQualityLongForm: bufferTime,
      },
    },
  };
  dash.updateSettings(settings);
  // `dashjs`: whole segments, as many bytes as plain dash.js downloads.
  if (player === 'voxel') voxelDash.attachVoxel(dash, { abr: 'dashjs', bufferSegments: 1 });
  video.muted = true;
  dash.initialize(video, manifest, true);
  return video;
}

(window as { benchPage?: BenchPage }).benchPage = {
  startUp(player, settings) {
    const startedAt = performance.now();
    const video = start(player, settings);
    return new Promise((resolve) => {
      video.requestVideoFrameCallback(() => resolve((performance.now() - startedAt) / 1000));
    });
  },
  play: (player, settings) => void start(player, settings),
};
