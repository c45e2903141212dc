import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  installTarballs,
  packPackage,
  type NpmPackage,
  type Project,
  type Tarball,
} from '../../../tools/package/consumer.mjs';
import { root } from '../../../tools/setup/paths.mjs';

/** A project outside the checkout that has installed packed packages, and both players beside them. */
export interface Consumer extends Project {
  /** What `npm pack` put into the tarball of the first of them. */
  readonly files: readonly string[];
  /** Size of that tarball. */
  readonly bytes: number;
}

/** Packs what is built as it is and installs the tarballs into an empty project, without a registry. */
export function installPackages(...names: readonly [NpmPackage, ...NpmPackage[]]): Consumer {
  const folder = mkdtempSync(join(tmpdir(), 'voxel-packed-'));
  const tarballs = names.map((name) => packPackage(name, folder));
  const project = installTarballs(tarballs);
  rmSync(folder, { recursive: true });
  const [{ files, bytes }] = tarballs as [Tarball];
  return { ...project, files, bytes };
}

/** `package.json` of the checkout, or of another of its folders. */
export function readManifest(folder = '.'): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Record<string, unknown>;
}
