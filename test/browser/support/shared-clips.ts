import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the clips that the test files of a run share; see `prepareClip`. */
    clips: string;
  }
}

/**
 * Set up before all test files of a project, torn down after them. `npm test` has one folder for all projects, which it names and removes
 * itself.
 */
export default function shareClips({ provide }: TestProject): () => void {
  const ofRun = process.env.VOXEL_TEST_CLIPS;
  const folder = ofRun ?? mkdtempSync(join(tmpdir(), 'voxel-clips-'));
  provide('clips', folder);
  return () => ofRun ?? rmSync(folder, { recursive: true });
}
