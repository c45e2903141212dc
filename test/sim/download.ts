import type { Abr, DecisionState, Option } from '../../src/abr-star/index.js';
import type { ContentSegment } from './content.js';
import { levelSent } from './delivered-score.js';
import type { Playback } from './playback.js';
import type { Delivery, Transport } from './transport.js';

/** Seconds between two reviews of a download, as in the player (thesis §6.3). */
const REVIEW_INTERVAL = 0.05;

/** One option as it was downloaded, to its end or to where a review ended it. */
export interface Attempt {
  readonly ending: { readonly action: 'complete' | 'keep' } | { readonly action: 'restart'; readonly option: Option };
  readonly option: Option;
  /** Bytes that arrived. */
  readonly reliable: number;
  readonly unreliable: number;
  readonly lost: number;
  readonly seconds: number;
}

export interface AttemptSetup {
  readonly abr: Abr;
  readonly transport: Transport;
  readonly delivery: Delivery;
  readonly playback: Playback;
  /** What the download was chosen on. */
  readonly state: DecisionState;
  readonly option: Option;
  readonly segment: ContentSegment;
}

/** Downloads one option while playback goes on, and asks the rule for its review every 50 ms. */
export function attempt({ abr, transport, delivery, playback, state, option, segment }: AttemptSetup): Attempt {
  const requested = playback.time;
  const asked = option.bytes - option.reliableBytes;
  let reliableLeft = option.reliableBytes;
  let unreliableLeft = asked;
  let lost = 0;
  const ended = (ending: Attempt['ending']): Attempt => ({
    ...{ ending, option, lost },
    reliable: option.reliableBytes - reliableLeft,
    unreliable: asked - unreliableLeft - lost,
    seconds: playback.time - requested,
  });

  transport.request(requested, option.bytes);
  for (let reviews = 1; ; reviews++) {
    const until = requested + reviews * REVIEW_INTERVAL;
    let now = requested;
    if (reliableLeft > 0) {
      const progress = transport.receive(reliableLeft, 'reliable', until);
      now = progress.time;
      reliableLeft = now < until ? 0 : reliableLeft - progress.arrived;
    }
    if (reliableLeft <= 0 && now < until && unreliableLeft > 0) {
      const progress = transport.receive(unreliableLeft, delivery, until);
      now = progress.time;
      lost += progress.lost;
      unreliableLeft = now < until ? 0 : unreliableLeft - progress.arrived - progress.lost;
    }
    playback.advanceTo(now);
    if (reliableLeft <= 0 && unreliableLeft <= 0) return ended({ action: 'complete' });

    const unreliable = asked - unreliableLeft - lost;
    const review = abr.review({
      state: { ...state, bufferLevel: playback.bufferLevel },
      option,
      elapsed: playback.time - requested,
      bytesReceived: option.reliableBytes - reliableLeft + unreliable,
      phase: reliableLeft > 0 ? 'reliable' : 'unreliable',
      levelReceived: reliableLeft > 0 ? 0 : levelSent(segment, unreliable),
    });
    if (review.action === 'restart') return ended(review);
    if (review.action === 'keep' && reliableLeft <= 0) return ended({ action: 'keep' });
  }
}
