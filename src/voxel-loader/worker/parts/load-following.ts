import type { Abilities, Host } from '../host.js';
import { loadPart } from './load-part.js';

/** Follows growing files with a part of the program that is loaded with the first of them. */
export const loadFollowing: NonNullable<Abilities['following']> = (host: Host) => {
  type Following = ReturnType<NonNullable<Abilities['following']>>;
  let loading: Promise<Following> | undefined;
  let loaded: Following | undefined;
  const load = async (): Promise<Following> => {
    const { createFollowings } = await loadPart('following');
    return (loaded = createFollowings(host));
  };
  return {
    receive: (message) => {
      loading ??= load();
      loading.then(
        (following) => following.receive(message),
        (error: unknown) => {
          // Whoever needs it next tries again.
          loading = undefined;
          const fail = (): never => {
            throw error;
          };
          void host.run(message.id, fail, () => undefined);
        },
      );
    },
    look: () => loaded?.look(),
  };
};
