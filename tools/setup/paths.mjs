// @ts-check
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout's root folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Downloads, prepared samples and build outputs that outlive a clone (XDG Base Directory). */
export const cacheFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'voxel-dash');

/** @param {string} name @returns the path of a program in the checkout's Python environment */
export const venvProgram = (name) => join(root, '.venv', 'bin', name);
