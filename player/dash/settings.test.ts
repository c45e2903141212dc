import { describe, expect, it } from 'vitest';
import type { DashPlayer, DashSettings } from './dash-types.js';
import { TIME_TOLERANCE } from '../port/buffered-time.js';
import type { RuleOwner } from '../port/player-segment.js';
import { DashPlayerSettings } from './settings.js';

const before: DashSettings = {
  streaming: {
    abandonLoadTimeout: 10_000,
    abr: { autoSwitchBitrate: { video: true } },
    buffer: {
      fastSwitchEnabled: null,
      bufferTimeDefault: 18,
      bufferTimeAtTopQuality: 30,
      bufferTimeAtTopQualityLongForm: 60,
      stallThreshold: 0.3,
    },
    gaps: { smallGapLimit: 1.5 },
    retryAttempts: { MediaSegment: 3 },
    scheduling: { defaultTimeout: 500 },
  },
};

function merge(target: Record<string, unknown>, source: object): void {
  for (const [name, value] of Object.entries(source)) {
    if (typeof value === 'object' && value !== null) merge(target[name] as Record<string, unknown>, value as object);
    else target[name] = value;
  }
}

function setUp(bufferSegments: number, ruleOwner: RuleOwner) {
  const current = structuredClone(before);
  const player = {
    getSettings: () => current,
    updateSettings: (changes: object) => merge(current as unknown as Record<string, unknown>, changes),
  } as DashPlayer;
  return { current, settings: new DashPlayerSettings(player, { bufferSegments, ruleOwner }) };
}

describe('DashPlayerSettings', () => {
  it('lets dash.js hold N segments and one in flight', () => {
    const { current, settings } = setUp(7, 'voxel');
    settings.apply(4);
    expect(current.streaming).toMatchObject({
      abandonLoadTimeout: 0,
      buffer: {
        fastSwitchEnabled: false,
        bufferTimeDefault: 32,
        bufferTimeAtTopQuality: 32,
        bufferTimeAtTopQualityLongForm: 32,
        stallThreshold: 0.05,
      },
    });
  });

  it('keeps dash.js from jumping to the end until it may, or all is as it was', () => {
    const { current, settings } = setUp(1, 'voxel');
    const limits = [() => settings.mayJumpToEnd(false), () => settings.mayJumpToEnd(true)].map((change) => {
      change();
      return current.streaming.gaps.smallGapLimit;
    });
    expect(limits).toEqual([TIME_TOLERANCE, 1.5]);
    settings.mayJumpToEnd(false);
    settings.restore();
    expect(current).toEqual(before);
  });

  it('has dash.js ask for a segment although the buffer is full, until it is told otherwise', () => {
    const { current, settings } = setUp(1, 'voxel');
    settings.holdMoreThan(7.6);
    expect(current).toEqual(before);
    settings.apply(4);
    settings.holdMoreThan(7.6);
    expect(current.streaming.buffer.bufferTimeDefault).toBeCloseTo(15.6);
    settings.holdMoreThan(0);
    expect(current.streaming.buffer.bufferTimeDefault).toBe(8);
    settings.holdMoreThan(7.6);
    settings.restore();
    expect(current).toEqual(before);
  });

  it('has dash.js wait for a server that starts again', () => {
    const { current, settings } = setUp(7, 'voxel');
    settings.apply(4);
    expect(current.streaming.retryAttempts.MediaSegment).toBe(10);
  });

  it('leaves the abandonment to dash.js when its rules choose', () => {
    const { current, settings } = setUp(1, 'player');
    settings.apply(4);
    expect(current.streaming.abandonLoadTimeout).toBe(10_000);
    expect(current.streaming.buffer.bufferTimeDefault).toBe(8);
  });

  it('puts back what was there before, also after it was applied twice', () => {
    const { current, settings } = setUp(3, 'voxel');
    settings.apply(4);
    settings.apply(2);
    expect(current.streaming.buffer.bufferTimeDefault).toBe(8);
    settings.restore();
    expect(current).toEqual(before);
  });

  it('leaves alone what the page changes later, while the segments are the same', () => {
    const { current, settings } = setUp(3, 'voxel');
    settings.apply(4);
    merge(current as unknown as Record<string, unknown>, { streaming: { buffer: { bufferTimeDefault: 5 } } });
    settings.apply(4);
    expect(current.streaming.buffer.bufferTimeDefault).toBe(5);
  });

  it('changes nothing when nothing was applied', () => {
    const { current, settings } = setUp(3, 'voxel');
    settings.restore();
    expect(current).toEqual(before);
  });
});
