import type { LiveLink } from '../../../src/delivery/live-link.js';
import { chooseLive } from '../../growing/live-choice.js';
import { representationOf } from '../hls-segments.js';
import type { HlsLevel, HlsPlayer } from '../hls-types.js';

/** The levels of a live stream's segments, as the plugin's rule chooses them: once for each segment, before it is asked for. */
export class LiveLevels {
  /** Those that hls.js may load now. */
  allowed: readonly HlsLevel[] = [];
  #chosen: { readonly after: number; readonly level: HlsLevel | undefined } | undefined;

  constructor(
    private readonly hls: Pick<HlsPlayer, 'mainForwardBufferInfo'>,
    private readonly link: () => LiveLink,
  ) {}

  /** That of the segment after that one, which is of the representation `last` and `segmentDuration` seconds long; undefined: none may be chosen. */
  after(index: number, last: string, segmentDuration: number): HlsLevel | undefined {
    if (this.#chosen?.after === index) return this.#chosen.level;
    const ladder = [...this.allowed].sort((a, b) => a.averageBitrate - b.averageBitrate);
    if (ladder.length === 0) return undefined;
    const rungs = ladder.map(representationOf).map(({ id: key, bandwidth: bitrate }) => ({ key, bitrate }));
    const chosen = chooseLive(this.link(), rungs, {
      segmentIndex: index + 1,
      ...{ segmentDuration, last },
      bufferLevel: this.hls.mainForwardBufferInfo?.len ?? 0,
      now: performance.now(),
    });
    this.#chosen = { after: index, level: ladder[chosen] };
    return ladder[chosen];
  }
}
