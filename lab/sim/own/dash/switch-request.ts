import type { DashRepresentation } from './representation.js';

/** dash.js' own values. */
export const NO_CHANGE = null;
export const PRIORITY = { DEFAULT: 0.5, STRONG: 1, WEAK: 0 } as const;

/** What a rule of dash.js answers; without a representation everything stays as it is. */
export interface SwitchRequest {
  readonly representation?: DashRepresentation | null;
  /** What answers had before dash.js 5: a place in the ladder. */
  readonly quality?: unknown;
}
