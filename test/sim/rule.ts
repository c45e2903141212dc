import {
  abrNames,
  createAbr,
  type Abr,
  type Choice,
  type DecisionState,
  type DownloadProgress,
  type Option,
  type Review,
} from '../../src/abr-star/index.js';
import { strategyNames, strategyOf } from '../../src/delivery/strategies.js';
import type { Strategy } from '../../src/delivery/index.js';
import { UserError } from '../../tools/setup/process.mjs';
import type { Delivery } from './link/transport.js';

/** What may stand in `NAME@…`: all downloads of a rule are delivered that way, whatever it chooses (thesis §6.5, "QUIC*"). */
const DELIVERIES: readonly Delivery[] = ['streams', 'datagrams'];

export interface Rule {
  readonly abr: Abr;
  /** How a choice's downloads travel. */
  readonly deliveryOf: (choice: Choice) => Delivery;
  readonly strategy: Strategy;
}

/** A fresh rule by its name in results: `RULE[@CARRIER][+STRATEGY]`. Throws a `UserError` for a name it does not know. */
export function ruleOf(name: string): Rule {
  const [before, strategyName = 'voxel', ...others] = name.split('+');
  const strategy = strategyNames.find((known) => known === strategyName && others.length === 0);
  if (!strategy) throw new UserError(`'${name}': the part after + must be one of ${strategyNames.join(', ')}`);
  return { ...carriedRule(name, before!), strategy: strategyOf(strategy) };
}

function carriedRule(name: string, carried: string): Omit<Rule, 'strategy'> {
  const [abrName, suffix, ...rest] = carried.split('@');
  const isKnown = (abrNames as readonly string[]).includes(abrName!);
  if (!isKnown) throw new UserError(`unknown rule '${name}': expected one of ${abrNames.join(', ')}`);
  const abr = createAbr(abrName!);
  if (suffix === undefined) return { abr, deliveryOf: ({ delivery }) => delivery ?? abr.delivery ?? 'datagrams' };
  if (suffix === 'whole' && rest.length === 0) return { abr: new OverWholeSegments(abr), deliveryOf: () => 'streams' };
  const delivery = DELIVERIES.find((known) => known === suffix && rest.length === 0);
  if (!delivery) throw new UserError(`'${name}': the part after @ must be one of ${DELIVERIES.join(', ')}, whole`);
  return { abr, deliveryOf: () => delivery };
}

/** A rule that is shown whole segments alone, all of them reliable: what planning brings apart from dropping. */
class OverWholeSegments implements Abr {
  readonly name: string;
  readonly #abr: Abr;
  readonly #whole = new WeakMap<readonly Option[], readonly Option[]>();

  constructor(abr: Abr) {
    this.name = abr.name;
    this.#abr = abr;
  }

  choose(state: DecisionState): Choice {
    const choice = this.#abr.choose(this.#seen(state));
    return { ...choice, option: originalOf(choice.option, state) };
  }

  review(progress: DownloadProgress): Review {
    const { state, option } = progress;
    const seen = this.#seen(state);
    const whole = { ...option, reliableBytes: option.bytes };
    const download = { ...progress, state: seen, option: whole, phase: 'reliable' as const, levelReceived: 0 };
    const review = this.#abr.review?.(download) ?? { action: 'continue' };
    return review.action === 'restart' ? { ...review, option: originalOf(review.option, state) } : review;
  }

  reset(): void {
    this.#abr.reset();
  }

  #seen(state: DecisionState): DecisionState {
    const { options, upcoming } = state;
    return { ...state, options: this.#wholeOf(options), upcoming: upcoming?.map((segment) => this.#wholeOf(segment)) };
  }

  /** The same array for the same segment: rules remember what they made of it. */
  #wholeOf(options: readonly Option[]): readonly Option[] {
    const known = this.#whole.get(options);
    if (known) return known;
    const whole = options
      .filter(({ representation }, index) => options[index + 1]?.representation !== representation)
      .map((option) => ({ ...option, reliableBytes: option.bytes }));
    this.#whole.set(options, whole);
    return whole;
  }
}

function originalOf({ representation, level }: Option, { options }: DecisionState): Option {
  return options.find((option) => option.representation === representation && option.level === level)!;
}
