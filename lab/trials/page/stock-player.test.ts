import type { MediaPlayerClass } from 'dashjs';
import { expect, it } from 'vitest';
import type { DashPlayer } from '../../../player/dash/dash-types.js';
import { DashPlayerSettings } from '../../../player/dash/settings.js';
import { systemOf } from '../system.js';
import { prepareStockPlayer } from './stock-player.js';

type Values = Record<string, unknown>;

function merge(target: Values, source: object): void {
  for (const [name, value] of Object.entries(source)) {
    if (typeof value === 'object' && value !== null) merge((target[name] ??= {}) as Values, value as object);
    else target[name] = value;
  }
}

/** A player's settings, as far as trials and plugin touch them, as dash.js comes. */
function stockPlayer() {
  const streaming = {
    abandonLoadTimeout: 10_000,
    abr: { autoSwitchBitrate: { video: true } },
    buffer: { fastSwitchEnabled: null, bufferTimeDefault: 18, bufferTimeAtTopQuality: 30 },
    retryAttempts: { MediaSegment: 3 },
    scheduling: { defaultTimeout: 500 },
  };
  const current: { streaming: Values } = { streaming };
  const player = {
    getSettings: () => current,
    updateSettings: (changes: object) => merge(current, changes),
    addResponseInterceptor: () => undefined,
  };
  return { player, current };
}

function settingsOf(system: string): Values {
  const { player, current } = stockPlayer();
  const { player: kind, delivery } = systemOf(system);
  const settings = { manifest: '', player: kind, delivery, bufferSegments: 2, segmentDuration: 4 };
  prepareStockPlayer(player as unknown as MediaPlayerClass, settings);
  return current.streaming;
}

it('gives stock dash.js the buffer of the trial, and leaves all else as it comes', () => {
  expect(settingsOf('dynamic')).toMatchObject({
    buffer: { fastSwitchEnabled: null, bufferTimeDefault: 12, bufferTimeAtTopQuality: 12 },
    scheduling: { defaultTimeout: 500 },
    retryAttempts: { MediaSegment: 3 },
  });
});

it('gives the control every player setting that the plugin makes, and its own rules', () => {
  const { player, current } = stockPlayer();
  new DashPlayerSettings(player as unknown as DashPlayer, { bufferSegments: 2, ruleOwner: 'player' }).apply(4);
  const settings = settingsOf('dynamic+voxel-settings');
  expect({ ...settings, abr: {} }).toEqual({ ...current.streaming, abr: {} });
  expect(settings).not.toMatchObject({ scheduling: { defaultTimeout: 500 } });
  expect(settings.abr).toMatchObject({ rules: { throughputRule: { active: true }, bolaRule: { active: true } } });
});
