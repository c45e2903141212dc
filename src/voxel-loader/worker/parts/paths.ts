// The part of the worker's program for sessions over several paths.
export { openPaths } from '../paths/open-paths.js';
