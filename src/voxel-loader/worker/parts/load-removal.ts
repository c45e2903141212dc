import { createReplacer } from '../../../repair/index.js';
import type { Repairing } from '../repairers.js';
import { loadPart } from './load-part.js';

/** Repair that replaces frames; what takes them out is loaded. */
export const loadRemoval: Repairing = {
  create: createReplacer,
  load: async () => (await loadPart('removal')).createRepairer,
};
