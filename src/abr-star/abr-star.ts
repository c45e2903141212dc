import { BolaSsim } from './bola-ssim.js';
import { ProgressThroughput } from './progress.js';
import type { DownloadProgress, Option, Review } from './types.js';

/** Seconds that a download gets before it is judged; the very first one, while nothing plays yet, a segment's duration. */
const GRACE = 0.5;

/** BOLA-SSIM with smart abandonment: a download that is late may be kept as it is, or restarted lower (thesis §6.3.3). */
export class AbrStar extends BolaSsim {
  override readonly name = 'abr-star';
  readonly #bandwidthSafety: number;
  readonly #progress = new ProgressThroughput();

  constructor(bandwidthSafety: number) {
    super();
    this.#bandwidthSafety = bandwidthSafety;
  }

  override review(progress: DownloadProgress): Review {
    this.#progress.update(progress.elapsed, progress.bytesReceived);
    const { state } = progress;
    if (progress.elapsed < (state.lastChoice ? GRACE : state.segmentDuration)) return { action: 'continue' };
    const { throughput } = this.#progress;
    const bytesLeft = progress.option.bytes - progress.bytesReceived;
    if (bytesLeft * 8 <= throughput * state.bufferLevel) return { action: 'continue' };

    const winner = this.preferred(state, remaining(progress), this.#bandwidthSafety * throughput);
    if (winner.representation < progress.option.representation) {
      const { representation, level } = winner;
      const option = state.options.find((o) => o.representation === representation && o.level === level)!;
      return { action: 'restart', option };
    }
    const arrived = progress.phase === 'unreliable' && winner.level <= progress.levelReceived;
    return { action: arrived ? 'keep' : 'continue' };
  }
}

/** What could still be had instead: lower representations from the start, or prefixes of this one less what is here. */
function remaining({ state, option, bytesReceived, phase, levelReceived }: DownloadProgress): Option[] {
  return state.options.flatMap((other) => {
    if (other.representation > option.representation) return [];
    if (other.representation < option.representation) return [other];
    if (other.level > option.level || other.level < levelReceived) return [];
    const here = phase === 'unreliable' && other.level === levelReceived;
    return [{ ...other, bytes: here ? 0 : Math.max(1, other.bytes - bytesReceived) }];
  });
}
