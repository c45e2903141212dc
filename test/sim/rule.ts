import { abrNames, createAbr, type Abr, type Choice } from '../../src/abr-star/index.js';
import { UserError } from '../../tools/setup/process.mjs';
import type { Delivery } from './transport.js';

/** How `NAME@…` says that a rule's downloads travel otherwise than the rule itself would have it (thesis §6.5, "QUIC*"). */
const DELIVERIES: Record<string, Delivery> = { streams: 'reliable', datagrams: 'datagrams' };

export interface Rule {
  readonly abr: Abr;
  /** How a choice's downloads travel. */
  readonly deliveryOf: (choice: Choice) => Delivery;
}

/** A fresh rule by its name in results: `bola-e`, or `bola-e@streams`. Throws a `UserError` for a name it does not know. */
export function ruleOf(name: string): Rule {
  const [abrName, suffix, ...rest] = name.split('@');
  const isKnown = (abrNames as readonly string[]).includes(abrName!);
  if (!isKnown) throw new UserError(`no rule '${name}': choose among ${abrNames.join(', ')}`);
  const abr = createAbr(abrName!);
  if (suffix === undefined) return { abr, deliveryOf: ({ transport }) => transport ?? abr.transport ?? 'datagrams' };
  const delivery = Object.hasOwn(DELIVERIES, suffix) && rest.length === 0 ? DELIVERIES[suffix] : undefined;
  if (!delivery) throw new UserError(`'${name}': after @ stands one of ${Object.keys(DELIVERIES).join(', ')}`);
  return { abr, deliveryOf: () => delivery };
}
