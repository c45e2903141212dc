import { AbrError, createAbrStar, type Abr } from '../../src/abr-star/index.js';
import { voxel, withoutRepeats, type Strategy } from '../../src/delivery/index.js';
import type { DownloadPreferences } from '../segments/fetch/segment-requests.js';
import type { Delivery, VoxelOptions } from '../api/types.js';
import { checkNames } from './checks.js';

/** The thesis' larger buffer: on-demand playback without concern for latency (§6.5). */
const DEFAULT_BUFFER_SEGMENTS = 7;

/** The full build is for dash.js. */
const MORE_RULES = { dashjs: ' (voxel-dash/lab has more rules)', hlsjs: '' };

const DELIVERIES: readonly Delivery[] = ['datagrams', 'streams', 'http'];

/** The options, checked and complete. */
export interface ResolvedOptions {
  /** Undefined: the player chooses. */
  readonly rule: Abr | undefined;
  readonly bufferSegments: number;
  readonly preferences: DownloadPreferences;
}

/** Options of a plugin in any player. `abr`: the name of a rule. */
export type PluginOptions = Omit<VoxelOptions, 'abr'> & { readonly abr?: string | Abr };

/**
 * `ownRule`: what `abr` is where the player's own rules choose. `added`: names of options that a build has besides. Throws `AbrError`,
 * `PlayerError` or `RangeError` for a bad option.
 */
export function resolveOptions(
  options: PluginOptions,
  ownRule: keyof typeof MORE_RULES = 'dashjs',
  added: readonly string[] = [],
): ResolvedOptions {
  checkNames(options, added);
  const { abr = 'abr-star', bufferSegments = DEFAULT_BUFFER_SEGMENTS, delivery = 'datagrams' } = options;
  if (!(bufferSegments > 0 && Number.isFinite(bufferSegments))) {
    throw new RangeError(`bufferSegments must be a positive number, got ${bufferSegments}`);
  }
  if (!DELIVERIES.includes(delivery)) {
    throw new RangeError(`delivery must be one of ${DELIVERIES.join(', ')}, got ${delivery}`);
  }
  const rule = ruleOf(abr, options, ownRule);
  const chosen = typeof options.strategy === 'object' ? options.strategy : strategyFor(rule, options.strategy);
  const strategy = (options.refetch ?? true) ? chosen : withoutRepeats(chosen);
  return {
    rule,
    bufferSegments,
    preferences: {
      delivery: delivery === 'datagrams' ? (rule?.delivery ?? delivery) : delivery,
      // Segment by segment, unless the page has said how.
      ruleChooses: options.delivery === undefined,
      // Other rules are compared as they were published, without deadlines.
      withDeadlines: strategy.deadlines && rule?.name === 'abr-star',
      headerHosts: options.headerHosts ?? [],
      strategy,
    },
  };
}

/** Other rules were published without pipelining: it is for those who ask for it. Pages may be without types. */
function strategyFor(rule: Abr | undefined, name: string | undefined): Strategy {
  if (name === undefined && rule?.name !== 'abr-star') return { ...voxel, pipelineAt: undefined };
  if (name === undefined || name === 'voxel') return voxel;
  throw new RangeError(`strategy must be 'voxel' or an object, got '${name}' (voxel-dash/lab has more strategies)`);
}

function ruleOf(abr: string | Abr, options: PluginOptions, ownRule: keyof typeof MORE_RULES): Abr | undefined {
  if (abr === 'abr-star') return createAbrStar(options);
  if (abr === ownRule) return undefined;
  if (typeof abr === 'object') return abr;
  throw new AbrError(
    'unknown-rule',
    `abr must be 'abr-star', '${ownRule}' or a rule object, got '${abr}'${MORE_RULES[ownRule]}`,
  );
}
