import { seededRandom as seededUniform } from '../../tools/link/random.mjs';

/** A seeded stream of numbers, the same on every machine. */
export interface Random {
  /** Uniform in [0, 1). */
  uniform(): number;
  /** Standard normal. */
  normal(): number;
}

/** 32 bits of state are plenty for content, traces and losses of one session. */
export function seededRandom(seed: number): Random {
  const uniform = seededUniform(seed);
  return {
    uniform,
    // Box–Muller; 1 − uniform keeps the logarithm finite.
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}

/** A seed for one of many things made from the same master seed, so that they do not share their randomness. */
export function derivedSeed(seed: number, label: string): number {
  let hash = seed >>> 0;
  for (const character of label) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0;
  return hash;
}
