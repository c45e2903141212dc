import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,player,demo,tools}/**/*.test.ts', 'test/{sim,trials,unit}/**/*.test.ts'],
        },
      },
      {
        test: { name: 'package', include: ['test/package/**/*.test.ts'], testTimeout: 60_000 },
      },
      {
        test: { name: 'messages', include: ['test/messages/*.test.ts'], testTimeout: 60_000 },
      },
      {
        test: { name: 'examples', include: ['test/examples/**/*.test.ts'], testTimeout: 180_000, hookTimeout: 180_000 },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/*.test.ts'],
          // Real browsers, real servers, little clips that are decoded in software: two at a time on two cores.
          maxWorkers: 2,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'browser-serial',
          // What would be disturbed by others: full-size video, measured times, losses that should be the network's.
          include: ['test/browser/serial/*.test.ts'],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
