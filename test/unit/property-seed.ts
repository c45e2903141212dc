// The set-up file of vitest's project `unit`: one seed for all properties.
import fc from 'fast-check';
import { seedOf } from '../../tools/parts/seed.mjs';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seedOf(process.env.SEED) });
