import { hold } from './hold.js';
import { removeMissing } from './removal.js';
import { removeSamples } from './remove-samples.js';

/** What follows plans: missing frames are taken out, or the picture before them is held. Repair of H.264 without a plan does without. */
export const plans = { hold, removeMissing, removeSamples };

/** What follows all plans, or those alone by which frames are taken out. */
export type Plans = typeof plans | (Pick<typeof plans, 'removeMissing'> & { readonly hold?: undefined });
