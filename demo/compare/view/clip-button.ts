import { byId, create } from '../../dom.js';
import { ClipRecorder } from '../clip.js';
import type { Comparison } from '../types.js';

/** ms between two looks whether a comparison has ended. */
const LOOK_MS = 250;

/** The button that films a comparison from its click to its second one, or to the end. */
export function listenForClips(
  current: () => { readonly comparison: Comparison; readonly videos: readonly HTMLVideoElement[] } | undefined,
  say: (text: string) => void,
): void {
  const button = byId('clip', HTMLButtonElement);
  const name = button.textContent;
  let clip: ClipRecorder | undefined;

  const finish = async (): Promise<void> => {
    const blob = await clip?.stop();
    clip = undefined;
    button.textContent = name;
    if (blob) save(blob);
  };
  button.addEventListener('click', () => {
    const shown = current();
    if (clip) void finish();
    else if (!shown) say('Start a comparison first');
    else {
      try {
        clip = new ClipRecorder(shown.comparison, shown.videos);
        button.textContent = 'End clip and save it';
        const timer = setInterval(() => {
          if (clip && !shown.comparison.lanes.every((lane) => lane.now().hasEnded)) return;
          clearInterval(timer);
          void finish();
        }, LOOK_MS);
      } catch (error) {
        say(String(error));
      }
    }
  });
}

function save(clip: Blob): void {
  const url = URL.createObjectURL(clip);
  create('a', { attributes: { href: url, download: 'voxel-compare.webm' } }).click();
  URL.revokeObjectURL(url);
}
