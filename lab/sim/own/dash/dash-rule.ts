import { waitForRoom } from '../../../../src/abr-star/buffer.js';
import { wholeSegment } from '../../../../src/abr-star/options.js';
import type { Abr, Choice, DecisionState } from '../../../../src/abr-star/types.js';
import { UserError } from '../../../../tools/setup/process.mjs';
import { FIRST_RATE } from '../../../rivals/dynamic.js';
import { Tput } from '../../../rivals/tput.js';
import { showBuffer } from './metrics.js';
import { representationsOf, type DashRepresentation } from './representation.js';
import { rulesContext } from './rules-context.js';
import type { SwitchRequest } from './switch-request.js';

/** A rule as `addABRCustomRule('qualitySwitchRules', …)` takes it. */
export interface DashRule {
  getSwitchRequest(context: object): SwitchRequest | null | undefined;
  reset?(): void;
}

/**
 * A rule of dash.js 5 as simulations ask rules: the only one of its player, over whole segments. Beside it downloads are given up as dash.js'
 * AbandonRequestsRule does; `shouldAbandon` is not asked. It begins with what dash.js begins with.
 */
export function dashRule(name: string, file: string, rule: DashRule): Abr {
  let representations: readonly DashRepresentation[] | undefined;
  const abandonment = new Tput();

  const choose = (state: DecisionState): Choice => {
    const { ladder, lastChoice, options, segmentDuration, bufferLevel } = state;
    representations ??= representationsOf(ladder, segmentDuration);
    const first = ladder.findLastIndex(({ bitrate }) => bitrate <= FIRST_RATE);
    const current = representations[lastChoice?.representation ?? Math.max(0, first)]!;
    let delay = 0;
    const onDelay = (milliseconds: number) => void (delay = milliseconds / 1000);
    showBuffer(bufferLevel);
    const request = rule.getSwitchRequest(rulesContext({ state, representations, current, onDelay }));
    abandonment.choose(state);
    const { representation, quality } = request ?? {};
    if (!representation && quality !== undefined)
      throw new UserError(
        `${file}: getSwitchRequest answers with quality, which dash.js 5 ignores: it takes a representation`,
        1,
      );
    const wanted = representation ? representations.find(({ id }) => id === representation.id) : current;
    if (!wanted) throw new UserError(`${file}: getSwitchRequest answers with a representation that there is not`, 1);
    return { option: wholeSegment(options, wanted.index), delay: Math.max(delay, waitForRoom(state)) };
  };
  return {
    ...{ name, delivery: 'streams', firstRate: FIRST_RATE, choose },
    review: (progress) => abandonment.review(progress),
    reset: () => {
      abandonment.reset();
      rule.reset?.();
    },
  };
}
