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

/** Set up before all test files of a project, torn down after them. */
export default function shareClips({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'voxel-clips-'));
  provide('clips', folder);
  return () => rmSync(folder, { recursive: true });
}
