import type { Abr, DecisionState } from '../../src/abr-star/index.js';
import type { LabStrategy } from './strategies.js';

/** Seconds of buffer at which a late segment is kept: appending takes time, too. */
const LAST_MOMENT = 0.2;

/** That rule with what a strategy changes of its view and of its reviews; the rule itself where that is nothing. */
export function ruleUnder({ keepsLate = false, discountsLosses = false }: LabStrategy, abr: Abr): Abr {
  if (!keepsLate && !discountsLosses) return abr;
  const review: Abr['review'] = (progress) => {
    const own = abr.review?.(progress) ?? { action: 'continue' };
    const { state, phase } = progress;
    const isLate = keepsLate && phase === 'unreliable' && state.bufferLevel <= LAST_MOMENT;
    // Not the first segment: playback has not begun to wait for it.
    return own.action === 'continue' && isLate && state.lastChoice ? { action: 'keep' } : own;
  };
  return {
    name: abr.name,
    choose: (state) => abr.choose(shownUnder({ discountsLosses }, state)),
    ...(abr.delivery && { delivery: abr.delivery }),
    ...(abr.firstRate !== undefined && { firstRate: abr.firstRate }),
    ...((abr.review !== undefined || keepsLate) && { review }),
    reset: () => abr.reset(),
  };
}

/** The state as a rule is shown it: a loss counts like a segment that never came, if there is more than one in the buffer. */
export function shownUnder(
  { discountsLosses = false }: Pick<LabStrategy, 'discountsLosses'>,
  state: DecisionState,
): DecisionState {
  const { bufferLevel, segmentDuration, hasGaps = false } = state;
  const isShorter = discountsLosses && hasGaps && bufferLevel > segmentDuration;
  return isShorter ? { ...state, bufferLevel: bufferLevel - segmentDuration } : state;
}
