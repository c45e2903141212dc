import { abrNames, createAbr, type Abr, type Choice } from '../../src/abr-star/index.js';
import { UserError } from '../../tools/setup/process.mjs';
import type { Delivery } from './link/transport.js';

/** What may stand in `NAME@…`: all downloads of a rule are delivered that way, whatever it chooses (thesis §6.5, "QUIC*"). */
const DELIVERIES: readonly Delivery[] = ['streams', 'datagrams'];

export interface Rule {
  readonly abr: Abr;
  /** How a choice's downloads travel. */
  readonly deliveryOf: (choice: Choice) => Delivery;
}

/** A fresh rule by its name in results: `bola-e`, or `bola-e@streams`. Throws a `UserError` for a name it does not know. */
export function ruleOf(name: string): Rule {
  const [abrName, suffix, ...rest] = name.split('@');
  const isKnown = (abrNames as readonly string[]).includes(abrName!);
  if (!isKnown) throw new UserError(`unknown rule '${name}': expected one of ${abrNames.join(', ')}`);
  const abr = createAbr(abrName!);
  if (suffix === undefined) return { abr, deliveryOf: ({ delivery }) => delivery ?? abr.delivery ?? 'datagrams' };
  const delivery = DELIVERIES.find((known) => known === suffix && rest.length === 0);
  if (!delivery) throw new UserError(`'${name}': the part after @ must be one of ${DELIVERIES.join(', ')}`);
  return { abr, deliveryOf: () => delivery };
}
