import type {
  DashPlayer,
  FragmentRequest,
  Load,
  LoaderRequest,
  LoaderResponse,
  RulesContext,
  SwitchRequest,
} from './dash-types.js';
import { PlayerError } from '../api/errors.js';

/** What the plugin does inside dash.js classes. */
export interface Extension {
  /** Takes the place of the loader's own `load`, which is `parentLoad`. */
  load(request: LoaderRequest, response: LoaderResponse, parentLoad: Load): void;
  /** True when dash.js' own rule must not abandon that request. */
  ownsRequest(request: FragmentRequest): boolean;
}

/** dash.js cannot take an extension back, so what is put in delegates to whoever is attached now, or to dash.js. */
const slots = new WeakMap<DashPlayer, { extension: Extension | undefined }>();

/**
 * Extends the player's loader and abandonment rule; the function returned ends that. Throws `PlayerError` when the
 * player has a plugin already, or has made its loaders.
 */
export function extendPlayer(player: DashPlayer, extension: Extension): () => void {
  const slot = slots.get(player) ?? addExtensionPoints(player);
  if (slot.extension) throw new PlayerError('already-attached', 'this player has a plugin: detach that first');
  slot.extension = extension;
  return () => void (slot.extension = undefined);
}

function addExtensionPoints(player: DashPlayer): { extension: Extension | undefined } {
  if (player.isReady()) throw new PlayerError('attached-too-late', 'attach the plugin before player.initialize()');
  const slot: { extension: Extension | undefined } = { extension: undefined };
  slots.set(player, slot);

  replaceLoad(player, 'XHRLoader', () => slot.extension);

  type ShouldAbandon = (this: unknown, context: RulesContext) => SwitchRequest;
  player.extend(
    'AbandonRequestsRule',
    function (this: { parent: { shouldAbandon: ShouldAbandon } }) {
      const parentRule = this.parent.shouldAbandon;
      return {
        shouldAbandon(context: RulesContext): SwitchRequest {
          if (slot.extension?.ownsRequest(context.getCurrentRequest())) {
            return { representation: null, priority: 0.5, reason: null, rule: 'AbandonRequestsRule' };
          }
          return parentRule.call(this, context);
        },
      };
    },
    true,
  );
  return slot;
}

/** Has what `current` gives load in place of that loader of dash.js, as long as it gives anything. */
export function replaceLoad(
  player: DashPlayer,
  loader: 'XHRLoader' | 'FetchLoader',
  current: () => Pick<Extension, 'load'> | undefined,
): void {
  player.extend(
    loader,
    function (this: { parent: { load: Load } }) {
      // At once: dash.js puts the new method on this very object.
      const parentLoad = this.parent.load;
      return {
        load: ((request, response) => {
          const extension = current();
          if (extension) extension.load(request, response, parentLoad);
          else parentLoad(request, response);
        }) as Load,
      };
    },
    true,
  );
}
