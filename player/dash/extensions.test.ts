import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { DashPlayer, FragmentRequest, Load, LoaderRequest, LoaderResponse } from './dash-types.js';
import { extendPlayer, type Extension } from './extensions.js';

/** What dash.js makes of an extension: the methods that replace those of `parent`. */
type Child = (this: { parent: object }) => Record<string, (...parameters: unknown[]) => unknown>;

const request = {} as LoaderRequest;
const response = {} as LoaderResponse;

describe('extendPlayer', () => {
  let children: Map<string, Child>;
  let isReady: boolean;
  let player: DashPlayer;

  beforeEach(() => {
    children = new Map();
    isReady = false;
    // As dash.js does: the first extension of a class stays.
    const extend = (name: string, child: Child) => children.has(name) || children.set(name, child);
    player = { extend, isReady: () => isReady } as unknown as DashPlayer;
  });

  function createExtension() {
    return { load: vi.fn<Extension['load']>(), ownsRequest: () => true };
  }

  function createLoader(parentLoad: Load) {
    return children.get('XHRLoader')!.call({ parent: { load: parentLoad } });
  }

  it('hands every load to the plugin, with the way to the loader of dash.js', () => {
    const extension = createExtension();
    const parentLoad = vi.fn();
    extendPlayer(player, extension);
    createLoader(parentLoad).load!(request, response);
    expect(extension.load).toHaveBeenCalledWith(request, response, parentLoad);
    expect(parentLoad).not.toHaveBeenCalled();
  });

  it('leaves loaders that exist already to dash.js when it ends, and serves them again when attached anew', () => {
    const parentLoad = vi.fn();
    const end = extendPlayer(player, createExtension());
    const loader = createLoader(parentLoad);
    end();
    loader.load!(request, response);
    expect(parentLoad).toHaveBeenCalledWith(request, response);

    isReady = true;
    const again = createExtension();
    extendPlayer(player, again);
    loader.load!(request, response);
    expect(again.load).toHaveBeenCalledOnce();
  });

  it('keeps the abandonment rule of dash.js off the requests of the plugin, and only off those', () => {
    const extension = createExtension();
    const end = extendPlayer(player, extension);
    const shouldAbandon = vi.fn(() => 'abandon');
    const rule = children.get('AbandonRequestsRule')!.call({ parent: { shouldAbandon } });
    const rules = { getCurrentRequest: () => ({}) as FragmentRequest };
    expect(rule.shouldAbandon!(rules)).toMatchObject({ representation: null });
    expect(shouldAbandon).not.toHaveBeenCalled();
    end();
    expect(rule.shouldAbandon!(rules)).toBe('abandon');
  });

  it('refuses a player that has a plugin, or whose loaders are made', () => {
    extendPlayer(player, createExtension());
    expect(() => extendPlayer(player, createExtension())).toThrow(
      expect.objectContaining({ code: 'already-attached' }),
    );
    const late = { ...player, isReady: () => true };
    expect(() => extendPlayer(late, createExtension())).toThrow(expect.objectContaining({ code: 'attached-too-late' }));
  });
});
