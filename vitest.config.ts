import { defineConfig } from 'vitest/config';

/** Of tests with browsers and programs. What a list of errors held may be all that is known of a failure on another machine. */
const PATIENCE = { testTimeout: 180_000, hookTimeout: 180_000, chaiConfig: { truncateThreshold: 2000 } };
/** The clips that test files play, each prepared once. */
const globalSetup = 'test/browser/support/shared-clips.ts';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,player,demo,lab,tools}/**/*.test.ts', 'test/{fuzz,unit}/**/*.test.ts'],
          setupFiles: ['test/unit/property-seed.ts', 'test/unit/patience.ts'],
          // To start a process for each of 170 files takes longer than most have work for it.
          isolate: false,
          // None of them waits for anything; a busy machine may be slow.
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: { name: 'package', include: ['test/package/**/*.test.ts'], ...PATIENCE },
      },
      {
        test: { name: 'messages', include: ['test/messages/*.test.ts'], ...PATIENCE },
      },
      {
        test: { name: 'examples', include: ['test/examples/**/*.test.ts'], globalSetup, ...PATIENCE },
      },
      {
        test: { name: 'tutorials', include: ['test/tutorials/**/*.test.ts'], globalSetup, ...PATIENCE },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/*.test.ts'],
          // Real browsers, real servers, little clips: most of their time they wait for playback. Beside other parts four are too many for
          // two processors.
          maxWorkers: 3,
          globalSetup,
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'browser-serial',
          // What others would disturb: full-size video, which takes both cores, and measured times.
          include: ['test/browser/serial/*.test.ts'],
          fileParallelism: false,
          globalSetup,
          ...PATIENCE,
        },
      },
    ],
  },
});
