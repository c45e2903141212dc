import type { Abr, Choice, DecisionState, Option, Review } from '../../src/abr-star/index.js';
import { optimalOptions, type OptimumSetup } from './optimum.js';

/**
 * What rules are measured against: `optimum`, which knows the link's future, and `lowest`, the lowest level whole
 * throughout. Both play over the ideal link: the flat model at the transport's round trip and payload rate.
 */
export const REFERENCE_NAMES = ['optimum', 'lowest'] as const;

export type ReferenceName = (typeof REFERENCE_NAMES)[number];

export function isReference(name: string): name is ReferenceName {
  return (REFERENCE_NAMES as readonly string[]).includes(name);
}

export function referenceRule(name: ReferenceName, setup: OptimumSetup): Abr {
  const options = name === 'optimum' ? optimalOptions(setup) : setup.content.options.map(lowestWhole);
  return new PlannedAbr(name, options);
}

function lowestWhole(options: readonly Option[]): Option {
  return options.findLast(({ representation }) => representation === options[0]!.representation)!;
}

/** A rule that has been told what to choose. */
class PlannedAbr implements Abr {
  readonly name: string;
  readonly #options: readonly Option[];

  constructor(name: string, options: readonly Option[]) {
    this.name = name;
    this.#options = options;
  }

  choose({ segmentIndex }: DecisionState): Choice {
    return { option: this.#options[segmentIndex]!, delay: 0 };
  }

  review(): Review {
    return { action: 'continue' };
  }

  reset(): void {
    // The plan stands.
  }
}
