import { abrNames, type AbrName } from '../rivals/registry.js';
import { strategyNames, type StrategyName } from '../strategies/strategies.js';
import { UserError } from '../../tools/setup/process.mjs';
import { isLiveRule, STOCK_RULES, type StockRule } from './stock-rules.js';

/**
 * How a system's segments travel. `http3` and `http1` are stock dash.js' own requests, the others VOXEL's: over HTTP the plugin leaves whole
 * segments to dash.js, and its rules can neither review nor cut them.
 */
export type SystemDelivery = 'datagrams' | 'streams' | 'http3' | 'http1';

/** A player with a bitrate rule and a transport: what a trial compares. */
export interface System {
  /** The name that a configuration has for it. */
  readonly name: string;
  /** The name that people read. */
  readonly label: string;
  readonly player: PlayerKind;
  readonly delivery: SystemDelivery;
  /** The only path of a bundle that it has; absent: stock dash.js has the first, ours all. */
  readonly path?: string;
}

/** dash.js as published, or with the plugin, one of its rules and one of its strategies, or its rule of live streams. */
export type PlayerKind =
  | { readonly kind: 'live'; readonly strategy?: typeof GROUPS }
  | {
      readonly kind: 'stock';
      readonly rule: StockRule;
      /** The player settings that the plugin makes, without the plugin: what they alone bring. */
      readonly settings?: 'voxel';
    }
  | {
      readonly kind: 'voxel';
      readonly rule: AbrName;
      readonly strategy: StrategyName;
      readonly bandwidthSafety?: number;
      /** The rule is shown whole segments alone: planning without dropping. */
      readonly segments?: 'whole';
    };

/** Short names for what trials are mostly about. */
const ALIASES: Readonly<Record<string, { readonly name: string; readonly label: string }>> = {
  voxel: { name: 'abr-star@datagrams', label: 'VOXEL' },
  'voxel-reliable': { name: 'abr-star@streams', label: 'VOXEL, reliable only' },
  bola: { name: 'dashjs-bola@http3', label: 'BOLA (dash.js, HTTP/3)' },
  dynamic: { name: 'dashjs-dynamic@http3', label: 'Dynamic (dash.js, HTTP/3)' },
  lolp: { name: 'dashjs-lolp@http3', label: 'LoL+ (dash.js, HTTP/3)' },
  l2a: { name: 'dashjs-l2a@http3', label: 'L2A (dash.js, HTTP/3)' },
  'l2a-mended': { name: 'dashjs-l2a-mended@http3', label: 'L2A with units mended (dash.js, HTTP/3)' },
  'voxel-live': { name: 'abr-live@datagrams', label: 'VOXEL live' },
  'voxel-live-streams': { name: 'abr-live@streams', label: 'VOXEL live, streams only' },
  groups: { name: 'abr-live@streams+groups', label: 'Groups (as over Media over QUIC)' },
};

const STOCK_PREFIX = 'dashjs-';

/** Ours of live streams. */
const LIVE_RULE = 'abr-live';

/** Behind a system of stock dash.js. */
const OUR_SETTINGS = 'voxel-settings';

/** In place of a delivery: over streams, and nothing is left out. */
const WHOLE = 'whole';

/** The only strategy besides the plugin's own that live streams have; they alone have it. */
const GROUPS = 'groups' satisfies StrategyName;

const DELIVERY_LABELS: Readonly<Record<SystemDelivery, string>> = {
  datagrams: 'datagrams',
  streams: 'streams',
  http3: 'HTTP/3',
  http1: 'HTTP/1.1',
};

const ON_DEMAND = strategyNames.filter((name) => name !== GROUPS);

export const SYSTEM_USAGE = `${Object.keys(ALIASES).join(', ')}, ${LIVE_RULE}@{datagrams,streams}, with +${GROUPS} or without, RULE@DELIVERY with a rule of ${abrNames.join(', ')} and a delivery of datagrams, streams, ${WHOLE}, all of these with +STRATEGY of ${ON_DEMAND.join(', ')}, or ${STOCK_PREFIX}{${STOCK_RULES.join(',')}}@{http3,http1}, with +${OUR_SETTINGS} or without; :PATH behind any of them, one path of a bundle alone`;

/**
 * A system by name. `+STRATEGY` behind one of ours and `=SAFETY` behind that set the plugin's strategy and the rule's bandwidth safety,
 * `+voxel-settings` behind stock dash.js gives it the plugin's player settings, `:PATH` one path of a bundle alone. Throws a `UserError`.
 */
export function systemOf(name: string): System {
  const [whole, path, ...further] = name.split(':');
  if (path === '' || further.length > 0) throw unknownSystem(name);
  const system = overAnyPath(whole!, name);
  return path === undefined ? system : { ...system, name, label: `${system.label}, ${path} alone`, path };
}

/** Which streams a system plays. */
export function playsOf({ player }: System): { readonly live: boolean; readonly onDemand: boolean } {
  if (player.kind !== 'stock') return { live: player.kind === 'live', onDemand: player.kind !== 'live' };
  const isForLive = isLiveRule(player.rule);
  return { live: isForLive || (player.rule === 'dynamic' && !player.settings), onDemand: !isForLive };
}

const unknownSystem = (name: string) => new UserError(`unknown system '${name}': expected one of ${SYSTEM_USAGE}`);

/** `given`: as the configuration names it. */
function overAnyPath(name: string, given: string): System {
  const [before, safetyText, ...rest] = name.split('=');
  const [base, further, ...others] = before!.split('+');
  const alias = Object.hasOwn(ALIASES, base!) ? ALIASES[base!] : undefined;
  const [plain, own] = (alias?.name ?? base!).split('+');
  const addition = further ?? own;
  const [rule, carrier, ...more] = plain!.split('@');
  const delivery = carrier === WHOLE ? 'streams' : carrier;
  if (rest.length + others.length > 0 || more.length > 0 || !isDelivery(delivery)) throw unknownSystem(given);
  const isPlainRequest = delivery === 'http3' || delivery === 'http1';
  const player = isPlainRequest
    ? stockPlayer(rule!, addition, safetyText)
    : ourPlayer(rule!, { strategy: addition, safety: safetyText, isWhole: carrier === WHOLE });
  if (!player) throw unknownSystem(given);
  const carried = alias?.label ?? `${rule!} over ${carrier === WHOLE ? 'whole segments' : DELIVERY_LABELS[delivery]}`;
  const details = [isPlainRequest && further ? 'our settings' : further, safetyText && `safety ${safetyText}`];
  return { name, label: [carried, ...details.filter((detail) => detail)].join(', '), player, delivery };
}

/** Undefined: there is none. */
function stockPlayer(rule: string, addition: string | undefined, safety: string | undefined): PlayerKind | undefined {
  const stock = STOCK_RULES.find((candidate) => `${STOCK_PREFIX}${candidate}` === rule);
  if (!stock || safety !== undefined) return undefined;
  if (addition === undefined) return { kind: 'stock', rule: stock };
  return addition === OUR_SETTINGS ? { kind: 'stock', rule: stock, settings: 'voxel' } : undefined;
}

interface GivenOfOurs {
  readonly strategy: string | undefined;
  readonly safety: string | undefined;
  readonly isWhole: boolean;
}

/** Undefined: there is none. */
function ourPlayer(rule: string, given: GivenOfOurs): PlayerKind | undefined {
  if (rule === LIVE_RULE) return livePlayer(given);
  const ours = abrNames.find((candidate) => candidate === rule);
  const strategy = ON_DEMAND.find((known) => known === (given.strategy ?? strategyNames[0]));
  const bandwidthSafety = given.safety === undefined ? undefined : Number(given.safety);
  if (!ours || !strategy || (bandwidthSafety !== undefined && !(bandwidthSafety > 0 && bandwidthSafety <= 2))) return;
  return {
    ...{ kind: 'voxel', rule: ours, strategy },
    ...(bandwidthSafety !== undefined && { bandwidthSafety }),
    ...(given.isWhole && { segments: WHOLE }),
  };
}

/** Undefined: there is none. */
function livePlayer({ strategy, safety, isWhole }: GivenOfOurs): PlayerKind | undefined {
  if (safety !== undefined || isWhole) return undefined;
  if (strategy === undefined) return { kind: 'live' };
  return strategy === GROUPS ? { kind: 'live', strategy } : undefined;
}

function isDelivery(text: string | undefined): text is SystemDelivery {
  return text !== undefined && Object.hasOwn(DELIVERY_LABELS, text);
}
