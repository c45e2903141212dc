/** What a comparison is made with. All of it stands in the page's query, so a link shares it. */
export interface CompareSettings {
  readonly preset: string;
  /** What the link's rates are multiplied by. */
  readonly scale: number;
  /** N of an "N-segment buffer", the same for all players. */
  readonly buffer: number;
  /** Of the losses. */
  readonly seed: number;
  /** Starts without a click. */
  readonly autoplay: boolean;
}

export const scaleRange = { low: 0.25, high: 4 };
export const buffers: readonly number[] = [1, 2, 3, 5, 7];

export const defaultSettings: CompareSettings = { preset: 'tunnel', scale: 1, buffer: 3, seed: 1, autoplay: false };

/** Reads a page's address; what is absent or makes no sense is the default. `presets`: those that there are. */
export function parseSettings(query: URLSearchParams, presets: readonly string[]): CompareSettings {
  const number = (name: string, isGood: (value: number) => boolean, otherwise: number): number => {
    const text = query.get(name);
    return text !== null && text.trim() !== '' && isGood(Number(text)) ? Number(text) : otherwise;
  };
  const preset = query.get('preset');
  return {
    preset: presets.find((name) => name === preset) ?? presets[0] ?? defaultSettings.preset,
    scale: number('scale', (value) => value >= scaleRange.low && value <= scaleRange.high, defaultSettings.scale),
    buffer: number('buffer', (value) => buffers.includes(value), defaultSettings.buffer),
    seed: number('seed', (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32, defaultSettings.seed),
    autoplay: query.get('autoplay') === '1',
  };
}

/** The query of a link that restores the settings; what is the default is left out. */
export function toQuery(settings: CompareSettings): string {
  const query = new URLSearchParams({ preset: settings.preset });
  for (const name of ['scale', 'buffer', 'seed'] as const) {
    if (settings[name] !== defaultSettings[name]) query.set(name, String(settings[name]));
  }
  return query.toString();
}
