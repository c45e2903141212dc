import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';
import { repositoryFiles } from '../../../tools/site/repository.mjs';

/** What a reader has beside the files: installed and built as `npm start` leaves it. */
const INSTALLED = ['node_modules', '.venv'];

/** A checkout of the reader's own, to be changed: `folder/voxel-dash`. It has no documents but those that a build reads. */
export function checkoutIn(folder: string): string {
  const checkout = join(folder, 'voxel-dash');
  for (const file of repositoryFiles().filter((path) => !/^docs\/(?!api\/)/.test(path))) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    cpSync(join(root, file), join(checkout, file));
  }
  for (const name of INSTALLED) if (existsSync(join(root, name))) symlinkSync(join(root, name), join(checkout, name));
  // A copy: npm packs no links, and a changed rule is built anew.
  cpSync(join(root, 'dist'), join(checkout, 'dist'), { recursive: true, preserveTimestamps: true });
  return checkout;
}
