import type { Abr, Choice, DecisionState, DownloadProgress, Option, Review } from '../../../src/abr-star/index.js';
import { UserError } from '../../../tools/setup/process.mjs';
import { errorText } from './error-text.js';

/** Seconds. Longer waits are a mistake in the unit. */
const MOST_DELAY = 3600;

/** A rule that always asks for another download never ends. */
const MOST_RESTARTS = 100;

const CONTINUE: Review = { action: 'continue' };

/** That rule, its answers checked: what it throws, and what is no answer, is a `UserError` in one line that names the `file`. */
export function checkedRule(abr: Abr, file: string): Abr {
  let segment = -1;
  let restarts = 0;

  const ask = (method: string, question: () => unknown): unknown => {
    try {
      return question();
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw new UserError(`${file}: ${method} of segment ${segment} threw ${errorText(error, file)}`, 1);
    }
  };
  const refuse = (method: string, expected: string, got: unknown): never => {
    throw new UserError(`${file}: ${method} of segment ${segment} must return ${expected}, got ${textOf(got)}`, 1);
  };
  const choose = (state: DecisionState): Choice => {
    segment = state.segmentIndex;
    restarts = 0;
    const choice = ask('choose', () => abr.choose(viewOf(state))) as Partial<Choice> | undefined;
    const option = optionOf(state, choice?.option);
    const delay = choice?.delay;
    if (!option || !(typeof delay === 'number' && delay >= 0 && delay <= MOST_DELAY))
      return refuse('choose', `{ option, delay }: one of state.options, seconds from 0 to ${MOST_DELAY}`, choice);
    return choice?.delivery === 'streams' ? { option, delay, delivery: 'streams' } : { option, delay };
  };
  const review = (progress: DownloadProgress): Review => {
    const answer = ask('review', () => abr.review!({ ...progress, state: viewOf(progress.state) })) as
      Partial<Review> | undefined;
    if (answer?.action === 'continue') return CONTINUE;
    if (answer?.action === 'keep') return { action: 'keep' };
    const option = answer?.action === 'restart' ? optionOf(progress.state, answer.option) : undefined;
    if (!option)
      return refuse('review', "{ action: 'continue', 'keep', or 'restart' with one of state.options }", answer);
    if (++restarts > MOST_RESTARTS)
      throw new UserError(`${file}: review asks for more than ${MOST_RESTARTS} restarts of segment ${segment}`, 1);
    return { action: 'restart', option };
  };
  // An object, not a class, may serve session after session.
  if (typeof abr.reset === 'function') ask('reset', () => abr.reset());
  return {
    name: abr.name,
    choose,
    ...(abr.delivery === 'streams' && { delivery: 'streams' }),
    ...(typeof abr.firstRate === 'number' && { firstRate: abr.firstRate }),
    ...(typeof abr.review === 'function' && { review }),
    reset: () => abr.reset(),
  };
}

/** What a rule may keep, and change by mistake. */
function viewOf(state: DecisionState): DecisionState {
  return { ...state, samples: [...state.samples] };
}

/** One of the state's, or a copy of one. */
function optionOf({ options }: DecisionState, wanted: Option | null | undefined): Option | undefined {
  if (typeof wanted !== 'object' || wanted === null) return undefined;
  return options.find((option) => option.representation === wanted.representation && option.level === wanted.level);
}

function textOf(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? String(value) : text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
