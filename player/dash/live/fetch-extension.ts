import type { DashPlayer } from '../dash-types.js';
import { replaceLoad, type Extension } from '../extensions.js';

type LiveExtension = Pick<Extension, 'load'>;

/** Slots as in `extendPlayer`: what is put in delegates to whoever is attached now. */
const slots = new WeakMap<DashPlayer, { extension: LiveExtension | undefined }>();

/**
 * Extends the player's `FetchLoader`, which dash.js takes for segments that still grow; the function returned ends that. Call it before
 * `player.initialize()`.
 */
export function extendFetchLoader(player: DashPlayer, extension: LiveExtension): () => void {
  const slot = slots.get(player) ?? addSlot(player);
  slot.extension = extension;
  return () => void (slot.extension = undefined);
}

function addSlot(player: DashPlayer): { extension: LiveExtension | undefined } {
  const slot: { extension: LiveExtension | undefined } = { extension: undefined };
  slots.set(player, slot);
  replaceLoad(player, 'FetchLoader', () => slot.extension);
  return slot;
}
