import type { FullVoxelOptions, RuleName } from '../lab/index.js';
import type { Delivery } from '../player/api/types.js';
import labels from './rule-labels.json' with { type: 'json' };

/**
 * How video is fetched: `auto`: as the plugin does by default, over datagrams unless the rule asks for streams; one of its deliveries
 * for every segment; `plain`: stock dash.js, no plugin attached.
 */
export type DemoDelivery = Delivery | 'auto' | 'plain';

/** What one run of the page plays, and how. All of it stands in the page's query, so a link shares it. */
export interface Settings {
  /** Absolute or relative to the page. */
  readonly manifest: string;
  readonly rule: RuleName;
  /** N of an "N-segment buffer". */
  readonly buffer: number;
  readonly delivery: DemoDelivery;
  /** Fetches what is missing of segments that are not played yet. */
  readonly refetch: boolean;
  /** Starts muted without a click. */
  readonly autoplay: boolean;
}

/** Every rule there is, by the name that the page shows. */
export const ruleLabels: Readonly<Record<RuleName, string>> = labels;
export const rules = Object.keys(ruleLabels) as readonly RuleName[];
export const deliveries: readonly DemoDelivery[] = ['auto', 'datagrams', 'streams', 'http', 'plain'];
export const maximumBuffer = 7;

export const defaultSettings: Settings = {
  manifest: '/media/manifest.mpd',
  rule: 'abr-star',
  buffer: maximumBuffer,
  delivery: 'auto',
  refetch: true,
  autoplay: false,
};

export interface ParsedSettings {
  readonly settings: Settings;
  /** One line per value that made no sense; its default stands instead. */
  readonly problems: readonly string[];
}

/** Reads settings from a page's address; what is absent from its query is the default. */
export function parseSettings(page: URL): ParsedSettings {
  const query = page.searchParams;
  const problems: string[] = [];

  function choose<Value extends string>(name: 'rule' | 'delivery', values: readonly Value[], fallback: Value): Value {
    const given = query.get(name);
    if (given === null) return fallback;
    const value = values.find((candidate) => candidate === given);
    if (value === undefined)
      problems.push(`${name} must be one of ${values.join(', ')}, got ${given}: using ${fallback}`);
    return value ?? fallback;
  }

  function buffer(): number {
    const given = query.get('buffer');
    if (given === null) return defaultSettings.buffer;
    const segments = Number(given);
    if (Number.isInteger(segments) && segments >= 1 && segments <= maximumBuffer) return segments;
    problems.push(
      `buffer must be a whole number from 1 to ${maximumBuffer}, got ${given}: using ${defaultSettings.buffer}`,
    );
    return defaultSettings.buffer;
  }

  function manifest(): string {
    const given = query.get('manifest')?.trim();
    if (!given) return defaultSettings.manifest;
    if (URL.canParse(given, page.href) && /^https?:$/.test(new URL(given, page.href).protocol)) return given;
    problems.push(`manifest must be an http or https address, got ${given}: using ${defaultSettings.manifest}`);
    return defaultSettings.manifest;
  }

  const settings: Settings = {
    manifest: manifest(),
    rule: choose('rule', rules, defaultSettings.rule),
    buffer: buffer(),
    delivery: choose('delivery', deliveries, defaultSettings.delivery),
    refetch: query.get('refetch') !== '0',
    autoplay: query.get('autoplay') === '1',
  };
  return { settings, problems };
}

/** The plugin's options for these settings; undefined: do not attach it. */
export function voxelOptions(settings: Settings): FullVoxelOptions | undefined {
  const { delivery, rule: abr, buffer: bufferSegments, refetch } = settings;
  if (delivery === 'plain') return undefined;
  return { abr, bufferSegments, refetch, ...(delivery !== 'auto' && { delivery }) };
}
