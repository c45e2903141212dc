import { defineVoxelVideo } from './index.js';

export * from './index.js';

/** For a page's script element: no line of script beside it. */
defineVoxelVideo();
