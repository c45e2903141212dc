import { VoxelError } from '../../errors.js';
import type * as following from './following.js';
import type * as paths from './paths.js';
import type * as removal from './removal.js';

/** What of the worker's program comes in files of its own, which only some presentations need. */
interface Parts {
  readonly removal: typeof removal;
  readonly paths: typeof paths;
  readonly following: typeof following;
}

/** URLs of the parts' files; the page puts them before the program. */
declare const VOXEL_PARTS: Readonly<Partial<Record<keyof Parts, string>>> | undefined;

/** Loads a part of the program. Rejects with `VoxelError` code `unsupported` where its file does not come. */
export async function loadPart<Name extends keyof Parts>(name: Name): Promise<Parts[Name]> {
  const url = typeof VOXEL_PARTS === 'undefined' ? undefined : VOXEL_PARTS[name];
  try {
    return (await import(/* @vite-ignore */ url!)) as Parts[Name];
  } catch (cause) {
    const place = url ?? `beside the plugin: there is no URL of voxel-${name}.js`;
    throw new VoxelError('unsupported', `a part of the worker cannot be loaded from ${place}`, { cause });
  }
}
