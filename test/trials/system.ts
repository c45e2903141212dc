import { abrNames, type AbrName } from '../../src/abr-star/index.js';
import { strategyNames, type StrategyName } from '../../src/delivery/strategies.js';
import { UserError } from '../../tools/setup/process.mjs';

/**
 * How a system's segments travel. `http3` and `http1` are stock dash.js' own requests, the others VOXEL's: over HTTP the plugin leaves whole
 * segments to dash.js, and its rules can neither review nor cut them.
 */
export type SystemDelivery = 'datagrams' | 'streams' | 'http3' | 'http1';

/** The built-in rules of dash.js; `dynamic` is what it does by itself: throughput at first, BOLA with a full buffer. */
export type StockRule = 'dynamic' | 'bola' | 'throughput';

/** A player with a bitrate rule and a transport: what a trial compares. */
export interface System {
  /** As a configuration names it. */
  readonly name: string;
  /** As people read it. */
  readonly label: string;
  readonly player: PlayerKind;
  readonly delivery: SystemDelivery;
}

/** dash.js as published, or with the plugin, one of its rules and one of its strategies. */
export type PlayerKind =
  | { readonly kind: 'stock'; readonly rule: StockRule }
  | {
      readonly kind: 'voxel';
      readonly rule: AbrName;
      readonly strategy: StrategyName;
      readonly bandwidthSafety?: number;
    };

/** Short names for what trials are mostly about. */
const ALIASES: Readonly<Record<string, { readonly name: string; readonly label: string }>> = {
  voxel: { name: 'abr-star@datagrams', label: 'VOXEL' },
  'voxel-reliable': { name: 'abr-star@streams', label: 'VOXEL, reliable only' },
  bola: { name: 'dashjs-bola@http3', label: 'BOLA (dash.js, HTTP/3)' },
  dynamic: { name: 'dashjs-dynamic@http3', label: 'Dynamic (dash.js, HTTP/3)' },
};

const STOCK_RULES: readonly StockRule[] = ['dynamic', 'bola', 'throughput'];
const STOCK_PREFIX = 'dashjs-';

const DELIVERY_LABELS: Readonly<Record<SystemDelivery, string>> = {
  datagrams: 'datagrams',
  streams: 'streams',
  http3: 'HTTP/3',
  http1: 'HTTP/1.1',
};

export const SYSTEM_USAGE = `${Object.keys(ALIASES).join(', ')}, RULE@DELIVERY with a rule of ${abrNames.join(', ')} and a delivery of datagrams, streams, all of these with +STRATEGY of ${strategyNames.join(', ')}, or ${STOCK_PREFIX}{${STOCK_RULES.join(',')}}@{http3,http1}`;

/** A system by name; `+STRATEGY` behind it and `=SAFETY` behind that set the plugin's strategy and the rule's bandwidth safety. Throws a `UserError`. */
export function systemOf(name: string): System {
  const [before, safetyText, ...rest] = name.split('=');
  const [given, strategyText, ...others] = before!.split('+');
  const alias = Object.hasOwn(ALIASES, given!) ? ALIASES[given!] : undefined;
  const [rule, delivery, ...more] = (alias?.name ?? given!).split('@');
  const bandwidthSafety = safetyText === undefined ? undefined : Number(safetyText);
  const problem = () => new UserError(`unknown system '${name}': expected one of ${SYSTEM_USAGE}`);
  if (rest.length + others.length > 0 || more.length > 0 || !isDelivery(delivery)) throw problem();
  if (bandwidthSafety !== undefined && !(bandwidthSafety > 0 && bandwidthSafety <= 2)) throw problem();
  const strategy = strategyNames.find((known) => known === (strategyText ?? strategyNames[0]));
  const player = strategy && playerOf(rule!, strategy, bandwidthSafety);
  const isStock = player?.kind === 'stock';
  const isPlainRequest = delivery === 'http3' || delivery === 'http1';
  if (!player || isStock !== isPlainRequest || (isStock && strategyText !== undefined)) throw problem();
  const carried = alias?.label ?? `${rule!} over ${DELIVERY_LABELS[delivery]}`;
  const label = strategyText === undefined ? carried : `${carried}, ${strategyText}`;
  return { name, label: safetyText === undefined ? label : `${label}, safety ${safetyText}`, player, delivery };
}

function playerOf(rule: string, strategy: StrategyName, bandwidthSafety: number | undefined): PlayerKind | undefined {
  const stock = STOCK_RULES.find((candidate) => `${STOCK_PREFIX}${candidate}` === rule);
  if (stock) return bandwidthSafety === undefined ? { kind: 'stock', rule: stock } : undefined;
  const ours = abrNames.find((candidate) => candidate === rule);
  return ours && { kind: 'voxel', rule: ours, strategy, ...(bandwidthSafety !== undefined && { bandwidthSafety }) };
}

function isDelivery(text: string | undefined): text is SystemDelivery {
  return text !== undefined && Object.hasOwn(DELIVERY_LABELS, text);
}
