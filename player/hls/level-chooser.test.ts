import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { RepresentationMap } from '../../src/manifest/segment-map.js';
import type { Decision } from '../segments/choose/rate-control.js';
import type { PlayerRepresentation, PlayerSegment } from '../port/player-segment.js';
import type { HlsFragment, HlsLevel } from './hls-types.js';
import { LevelChooser } from './level-chooser.js';

const SECONDS = 4;
const maps = ['q00', 'q01', 'q02'].map((id) => ({ id }) as RepresentationMap);

const fragments = [0, 1, 2].map((sn) => ({ sn, level: 0, start: sn * SECONDS, duration: SECONDS }) as HlsFragment);

function level(id: string, codecSet = 'avc1'): HlsLevel {
  const details = { live: false, targetduration: SECONDS, startSN: 0, edge: 12, fragments: fragments.map(withRange) };
  return { uri: '', attrs: { 'STABLE-VARIANT-ID': id }, codecSet, averageBitrate: 1000, loadError: 0, details };
}

const withRange = (fragment: HlsFragment): HlsFragment => ({ ...fragment, url: 'a.mp4', byteRange: [0, 10] });

/** A stand-in for hls.js: its own rule would always choose level 2. */
class Hls {
  levels: HlsLevel[] = ['q00', 'q01', 'q02'].map((id) => level(id));
  media: HTMLMediaElement | null = { currentTime: 0 } as HTMLMediaElement;
  loadLevel = 0;
  minAutoLevel = 0;
  maxAutoLevel = 2;
  autoLevelEnabled = true;
  mainForwardBufferInfo = { len: 0, end: 0 };
  config: { startLevel?: number } = {};
  readonly forced: number[] = [];
  trigger = vi.fn();
  on = vi.fn();
  off = vi.fn();

  get nextAutoLevel(): number {
    return 2;
  }

  set nextAutoLevel(level: number) {
    this.forced.push(level);
  }

  get firstAutoLevel(): number {
    return 2;
  }
}

describe('LevelChooser', () => {
  let hls: Hls;
  let remove: () => void;
  let levels: LevelChooser;
  const choose = vi.fn<(candidates: readonly RepresentationMap[], segment: PlayerSegment) => Decision | undefined>();
  const begin = vi.fn<(candidates: readonly RepresentationMap[]) => RepresentationMap>();
  const video = { underWay: undefined as HlsFragment | undefined, bufferLevel: 0 };
  const live = { chooseLevel: vi.fn<(allowed: readonly HlsLevel[]) => number | undefined>() };
  const state = { isFirst: false, hasVoxelData: true, isPending: false, live: undefined as typeof live | undefined };

  beforeEach(() => {
    hls = new Hls();
    Object.assign(video, { underWay: undefined, bufferLevel: 0 });
    Object.assign(state, { isFirst: false, hasVoxelData: true, isPending: false, live: undefined });
    choose.mockReset().mockImplementation((candidates, { index: segmentIndex }) => {
      return { representation: candidates[1] ?? candidates[0], delay: 0, state: { segmentIndex } } as Decision;
    });
    begin.mockReset().mockImplementation(([lowest]) => lowest!);
    levels = new LevelChooser(hls, {
      live: () => state.live,
      content: {
        presentation: {
          get hasVoxelData() {
            return state.hasVoxelData;
          },
          representation: ({ id }: PlayerRepresentation) => maps.find((map) => map.id === id),
        },
        indexes: { want: vi.fn(), isPending: () => state.isPending },
      },
      chooser: { choose, begin },
      recorder: {
        get isFirst() {
          return state.isFirst;
        },
      },
      video,
      settings: { secondsHeld: 2 * SECONDS },
    });
    remove = levels.install();
  });

  it('answers hls.js with the rule’s choice for the segment that is next, by the end of the buffer', () => {
    hls.mainForwardBufferInfo = { len: 4, end: 3.99 };
    expect(hls.nextAutoLevel).toBe(1);
    expect(choose).toHaveBeenLastCalledWith(maps, expect.objectContaining({ index: 1, range: '0-9' }));
    hls.mainForwardBufferInfo = { len: 0, end: 0 };
    hls.media = { currentTime: 8.5 } as HTMLMediaElement;
    expect(hls.nextAutoLevel).toBe(1);
    expect(choose).toHaveBeenLastCalledWith(maps, expect.objectContaining({ index: 2 }));
  });

  it('says how long the rule waits before that segment, and before no other', () => {
    choose.mockReturnValue({ representation: maps[0], delay: 3, state: { segmentIndex: 0 } } as unknown as Decision);
    expect(hls.nextAutoLevel).toBe(0);
    expect([levels.delayOf(0), levels.delayOf(1)]).toEqual([3, 0]);
  });

  it('asks the rule nothing while a segment is under way, nor while the buffer is full', () => {
    video.underWay = { ...fragments[0]!, level: 2 };
    expect(hls.nextAutoLevel).toBe(2);
    video.underWay = undefined;
    video.bufferLevel = 2 * SECONDS;
    expect(hls.nextAutoLevel).toBe(0);
    expect(choose).not.toHaveBeenCalled();
  });

  it('begins with what the rule begins with until all indexes are here', () => {
    state.isFirst = true;
    state.isPending = true;
    for (const one of hls.levels) Reflect.deleteProperty(one, 'details');
    expect([hls.firstAutoLevel, hls.nextAutoLevel]).toEqual([0, 0]);
    state.isPending = false;
    expect(hls.nextAutoLevel).toBe(1);
  });

  it.each<[string, () => void]>([
    ['without VOXEL data', () => (state.hasVoxelData = false)],
    ['where a level has none', () => (hls.levels[1] = level('plain'))],
    ['at the end', () => (hls.mainForwardBufferInfo = { len: 4, end: 12 })],
    ['at a start that the page has set', () => ((state.isFirst = true), (hls.config.startLevel = 2))],
  ])('leaves the choice to hls.js %s', (_, change) => {
    change();
    expect(hls.nextAutoLevel).toBe(2);
  });

  it('has the choice of live streams while one plays, or leaves it to hls.js', () => {
    Object.assign(state, { hasVoxelData: false, live });
    live.chooseLevel.mockReturnValueOnce(0);
    expect(hls.nextAutoLevel).toBe(0);
    expect(live.chooseLevel).toHaveBeenLastCalledWith(hls.levels);
    live.chooseLevel.mockReturnValueOnce(undefined);
    expect(hls.nextAutoLevel).toBe(2);
    expect(choose).not.toHaveBeenCalled();
  });

  it('chooses among the levels that hls.js allows, without those that fail', () => {
    hls.minAutoLevel = 1;
    hls.levels[1] = { ...hls.levels[1]!, loadError: 1 };
    expect(hls.nextAutoLevel).toBe(2);
    expect(choose).toHaveBeenLastCalledWith([maps[2]], expect.anything());
    hls.maxAutoLevel = 1;
    expect(hls.nextAutoLevel).toBe(1);
  });

  it('keeps to the codec that hls.js loads, at the start to the one that it would begin with', () => {
    hls.levels = [level('q00'), level('q01', 'av01'), level('q02', 'av01')];
    hls.loadLevel = -1;
    expect(hls.nextAutoLevel).toBe(2);
    expect(choose).toHaveBeenLastCalledWith(maps.slice(1), expect.anything());
    hls.loadLevel = 0;
    expect(hls.nextAutoLevel).toBe(0);
    hls.minAutoLevel = 1;
    expect(hls.nextAutoLevel).toBe(2);
  });

  it('hands on what hls.js sets itself, and is gone when it is removed', () => {
    hls.nextAutoLevel = 0;
    expect(hls.forced).toEqual([0]);
    remove();
    expect([hls.nextAutoLevel, hls.firstAutoLevel]).toEqual([2, 2]);
    expect(choose).not.toHaveBeenCalled();
  });
});
