import { MediaPlayer } from 'dashjs';
import { attachVoxel } from 'voxel-dash';

const manifest = 'http://localhost:8080/media/manifest.mpd';
const log = (line) => document.querySelector('#log').append(line, '\n');

const player = MediaPlayer().create();
const voxel = attachVoxel(player); // before initialize()
voxel.on('delivered', ({ record }) =>
  log(`segment ${record.index}: ${record.delivery}, score ${record.score?.toFixed(3)}`),
);
voxel.on('fallback', ({ message }) => log(`over HTTP: ${message}`));
player.initialize(document.querySelector('#video'), manifest, true);
