import { MediaPlayer } from 'dashjs';
import { useEffect, useRef } from 'react';
import { attachVoxel } from 'voxel-dash';

/** Plays `src`; `onDelivered` receives the record of each video segment. A change of either starts a new player. */
export function VoxelPlayer({ src, onDelivered }) {
  const video = useRef(null);

  useEffect(() => {
    const player = MediaPlayer().create();
    const voxel = attachVoxel(player); // before initialize()
    voxel.on('delivered', ({ record }) => onDelivered(record));
    player.initialize(video.current, src, true);
    return () => {
      voxel.detach();
      player.destroy();
    };
  }, [src, onDelivered]);

  return <video ref={video} controls muted />;
}
