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
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          // Real Chromium, real server, software decoding: one at a time on two cores.
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
