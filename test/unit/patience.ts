import { vi } from 'vitest';

/** Milliseconds: nothing that a unit test waits for takes long, but a busy machine may be slow. */
const PATIENCE = 60_000;

const { waitFor } = vi;
// Vitest has no setting for it, and gives up after a second.
vi.waitFor = (callback, options = PATIENCE) => waitFor(callback, options);
