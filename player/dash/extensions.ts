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

/** Who is attached to each player: dash.js cannot take an extension back, so what is put in once asks for it, or is dash.js' own. */
export class Slots<Attached> {
  readonly #slots = new WeakMap<DashPlayer, { attached: Attached | undefined }>();

  /** `add`: puts it in, for whatever `current` gives; called once for each player that it does not refuse. */
  constructor(private readonly add: (player: DashPlayer, current: () => Attached | undefined) => void) {}

  /** Attaches it; the function returned ends that. Throws `PlayerError` when the player has a plugin already, or as `add` does. */
  take(player: DashPlayer, attached: Attached): () => void {
    const slot = this.#slots.get(player) ?? this.#create(player);
    if (slot.attached) throw new PlayerError('already-attached', 'this player has a plugin: detach that first');
    slot.attached = attached;
    return () => void (slot.attached = undefined);
  }

  #create(player: DashPlayer): { attached: Attached | undefined } {
    const slot: { attached: Attached | undefined } = { attached: undefined };
    this.add(player, () => slot.attached);
    this.#slots.set(player, slot);
    return slot;
  }
}

const slots = new Slots<Extension>((player, current) => {
  if (player.isReady()) throw new PlayerError('attached-too-late', 'attach the plugin before player.initialize()');
  replaceLoad(player, 'XHRLoader', current);
  type ShouldAbandon = (this: unknown, context: RulesContext) => SwitchRequest;
  player.extend(
    'AbandonRequestsRule',
    function (this: { parent: { shouldAbandon: ShouldAbandon } }) {
      const parentRule = this.parent.shouldAbandon;
      return {
        shouldAbandon(context: RulesContext): SwitchRequest {
          if (current()?.ownsRequest(context.getCurrentRequest())) {
            return { representation: null, priority: 0.5, reason: null, rule: 'AbandonRequestsRule' };
          }
          return parentRule.call(this, context);
        },
      };
    },
    true,
  );
});

/**
 * Extends the player's loader and abandonment rule; the function returned ends that. Throws `PlayerError` when the
 * player has a plugin already, or has made its loaders.
 */
export function extendPlayer(player: DashPlayer, extension: Extension): () => void {
  return slots.take(player, extension);
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
