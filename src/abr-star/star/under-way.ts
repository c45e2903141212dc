import type { Download } from './plan.js';
import type { DownloadProgress, Option } from '../types.js';

/** What the running download may still become: each prefix that has not arrived yet, at the price of its missing bytes. */
export function remainders(progress: DownloadProgress): Download[] {
  const { option, bytesReceived } = progress;
  const reached = levelArrived(progress);
  return prefixesOf(progress)
    .filter(({ level }) => level >= reached && level <= option.level)
    .map(({ representation, bytes, reliableBytes, score }) => ({
      representation,
      bytes: Math.max(0, bytes - bytesReceived),
      reliableBytes: Math.max(0, reliableBytes - bytesReceived),
      score,
    }));
}

/** What comes after that many other bytes. */
export function behind(bytesBefore: number, { representation, bytes, reliableBytes, score }: Option): Download {
  return { representation, bytes: bytes + bytesBefore, reliableBytes: reliableBytes + bytesBefore, score };
}

/** Once the reliable bytes are here; before, what they will be worth. */
export function scoreOfArrived(progress: DownloadProgress): number {
  const reached = levelArrived(progress);
  return (prefixesOf(progress).find(({ level }) => level === reached) ?? progress.option).score;
}

function levelArrived({ phase, levelReceived }: DownloadProgress): number {
  return phase === 'unreliable' ? levelReceived : 0;
}

function prefixesOf({ state, option }: DownloadProgress): readonly Option[] {
  return state.options.filter(({ representation }) => representation === option.representation);
}
