import type { DashPlayer, Load, LoaderRequest, LoaderResponse } from '../dash-types.js';

/** In place of `FetchLoader.load`, which is `parentLoad`: dash.js takes that loader for segments that still grow. */
export type LiveLoad = (request: LoaderRequest, response: LoaderResponse, parentLoad: Load) => unknown;

/** As in `extendPlayer`: what is put in delegates to whoever is attached now. */
const slots = new WeakMap<DashPlayer, { load: LiveLoad | undefined }>();

/** Extends the player's loader of growing segments; the function returned ends that. Call it before `player.initialize()`. */
export function extendFetchLoader(player: DashPlayer, load: LiveLoad): () => void {
  const slot = slots.get(player) ?? addSlot(player);
  slot.load = load;
  return () => void (slot.load = undefined);
}

function addSlot(player: DashPlayer): { load: LiveLoad | undefined } {
  const slot: { load: LiveLoad | undefined } = { load: undefined };
  slots.set(player, slot);
  player.extend(
    'FetchLoader',
    function (this: { parent: { load: Load } }) {
      // At once: dash.js puts the new method on this very object.
      const parentLoad = this.parent.load;
      return {
        load: ((request, response) =>
          slot.load ? slot.load(request, response, parentLoad) : parentLoad(request, response)) as Load,
      };
    },
    true,
  );
  return slot;
}
