import type { MediaPlayerClass } from 'dashjs';

/** A bitrate as dash.js 5.2.1 has it: `bandwidth` in bit/s, `bitrateInKbit` in kbit/s. */
interface Rung {
  readonly bandwidth: number;
  readonly bitrateInKbit: number;
}

interface AbrControllerOfRules {
  getPossibleVoRepresentationsFilteredBySettings(...of: unknown[]): Rung[];
}

interface ContextOfRules {
  getAbrController(): AbrControllerOfRules;
}

type Choose = (this: unknown, context: ContextOfRules) => unknown;

/**
 * L2A of dash.js 5.2.1 compares bitrates in bit/s with a throughput in kbit/s where it moves its Lagrangian multiplier and where it
 * limits an ascent to one step. Here the rule, and it alone, sees both in kbit/s; all else is as shipped. Call it before `initialize()`.
 */
export function mendL2A(player: MediaPlayerClass): void {
  function mended(this: { readonly parent: { getSwitchRequest: Choose } }) {
    const choose = this.parent.getSwitchRequest;
    return {
      getSwitchRequest(this: unknown, context: ContextOfRules) {
        return choose.call(this, inKilobits(context));
      },
    };
  }
  player.extend('L2ARule', mended, true);
}

/** The same context with ladders in kbit/s. Choices are made of the ladder as it is: places in it are the same. */
export function inKilobits(context: ContextOfRules): ContextOfRules {
  const replaced = <Target extends object>(target: Target, part: Partial<Target>): Target =>
    Object.assign(Object.create(target) as Target, part);
  const controller = context.getAbrController();
  const getAbrController = () =>
    replaced(controller, {
      getPossibleVoRepresentationsFilteredBySettings: (...of) =>
        controller
          .getPossibleVoRepresentationsFilteredBySettings(...of)
          .map((rung) => replaced(rung, { bandwidth: rung.bitrateInKbit })),
    });
  return replaced(context, { getAbrController });
}
