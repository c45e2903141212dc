// @ts-check
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../setup/paths.mjs';
import { outputOf, run, say } from '../setup/process.mjs';
import { installSystemPackages } from '../setup/system-packages.mjs';
import { ask, buildah } from './buildah.mjs';

const BASE = 'localhost/voxel-base:bookworm';

/** What an image of Debian leaves out, too. */
const WITHOUT = ['doc', 'man', 'info', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);

/**
 * A base image of Debian's own packages, without an image registry; made once.
 * @param {number} timestamp in seconds since 1970 @returns {Promise<string>} its name
 */
export async function debianBase(timestamp) {
  if (outputOf(...buildah('inspect', '--type', 'image', BASE)) !== undefined) return BASE;
  if (outputOf('mmdebstrap', ['--version']) === undefined) {
    await installSystemPackages(['mmdebstrap'], 'a base image without a registry is made with mmdebstrap');
  }
  say("making a base image of Debian's packages …");
  const folder = join(cacheFolder, 'images');
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, `base-${process.pid}.tar`);
  try {
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(timestamp) };
    const options = ['--variant=minbase', ...WITHOUT];
    // Without a mirror it takes Debian's own, with updates and security.
    await run('mmdebstrap', [...options, 'bookworm', archive], { env, output: 'on-failure' });
    const container = ask('from', 'scratch');
    try {
      ask('add', container, archive, '/');
      ask('commit', '--timestamp', String(timestamp), '--quiet', container, BASE);
    } finally {
      ask('rm', container);
    }
  } finally {
    rmSync(archive, { force: true });
  }
  return BASE;
}
