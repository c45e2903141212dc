import { CONSTANTS, createAbrStar, type Abr, type Choice } from '../../src/abr-star/index.js';
import { Dynamic } from '../rivals/dynamic.js';
import { abrNames, createAbr } from '../rivals/registry.js';
import { strategyNames, strategyOf, type LabStrategy } from '../strategies/strategies.js';
import { UserError } from '../../tools/setup/process.mjs';
import type { Delivery } from './link/transport.js';
import { OverWholeSegments } from './over-whole-segments.js';

/** What may stand in `NAME@…`: all downloads of a rule are delivered that way, whatever it chooses (thesis §6.5, "QUIC*"). */
const DELIVERIES: readonly Delivery[] = ['streams', 'datagrams'];

export interface Rule {
  readonly abr: Abr;
  /** How a choice's downloads travel. */
  readonly deliveryOf: (choice: Choice) => Delivery;
  readonly strategy: LabStrategy;
  /** Whether a segment that is waited for is handed over in pieces; default false. */
  readonly inPieces?: boolean;
  /** dash.js' own: nobody tells it what to begin with; default false. */
  readonly isPlayers?: boolean;
}

/** What may stand behind `/`. */
const HAND_OVERS = ['pieces', 'whole'] as const;

/** Rules by name: those that a page can have, and dash.js' own, which a page has anyway. */
export const simulatedNames: readonly string[] = [...abrNames, 'dynamic'];

const create = (name: string) => (name === 'dynamic' ? new Dynamic() : createAbr(name));

/** A fresh rule by its name in results: `RULE[@CARRIER][+STRATEGY][/HAND-OVER]`. Throws a `UserError` for a name it does not know. */
export function ruleOf(name: string): Rule {
  const [played, handOverName, ...rest] = name.split('/');
  const handOver = HAND_OVERS.find((known) => known === handOverName);
  if (rest.length > 0 || (handOverName !== undefined && !handOver))
    throw new UserError(`'${name}': the part after / must be one of ${HAND_OVERS.join(', ')}`);
  const [before, strategyName = 'voxel', ...others] = played!.split('+');
  const strategy = strategyNames.find((known) => known === strategyName && others.length === 0);
  if (!strategy) throw new UserError(`'${name}': the part after + must be one of ${strategyNames.join(', ')}`);
  const inPieces = handOver ? handOver === 'pieces' : /^abr-star(:[^@]*)?(@streams|@datagrams)?$/.test(before!);
  const isPlayers = /^dynamic\b/.test(name);
  return { ...carriedRule(name, before!), strategy: strategyOf(strategy), inPieces, isPlayers };
}

function carriedRule(name: string, carried: string): Omit<Rule, 'strategy' | 'inPieces'> {
  const [named, suffix, ...rest] = carried.split('@');
  const [abrName, ...changes] = named!.split(':');
  if (!simulatedNames.includes(abrName!))
    throw new UserError(`unknown rule '${name}': expected one of ${simulatedNames.join(', ')}`);
  const abr = changes.length === 0 ? create(abrName!) : changedRule(name, abrName!, changes);
  if (suffix === undefined) return { abr, deliveryOf: ({ delivery }) => delivery ?? abr.delivery ?? 'datagrams' };
  if (suffix === 'whole' && rest.length === 0) return { abr: new OverWholeSegments(abr), deliveryOf: () => 'streams' };
  const delivery = DELIVERIES.find((known) => known === suffix && rest.length === 0);
  if (!delivery) throw new UserError(`'${name}': the part after @ must be one of ${DELIVERIES.join(', ')}, whole`);
  return { abr, deliveryOf: () => delivery };
}

/** `abr-star:CONSTANT=VALUE…`: with other constants than its own. */
function changedRule(name: string, abrName: string, changes: readonly string[]): Abr {
  const entries = changes.map((change) => /^(\w+)=([\d.e+-]+)$/.exec(change));
  const isGood = entries.every((entry) => entry && entry[1]! in CONSTANTS && Number.isFinite(Number(entry[2])));
  if (abrName !== 'abr-star' || !isGood)
    throw new UserError(`'${name}': only abr-star:CONSTANT=NUMBER, of ${Object.keys(CONSTANTS).join(', ')}`);
  const values = Object.fromEntries(entries.map((entry) => [entry![1]!, Number(entry![2])]));
  return createAbrStar({}, { ...CONSTANTS, ...values });
}
