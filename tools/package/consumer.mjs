// @ts-check
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../setup/paths.mjs';

/** The folders that the npm packages are packed from, once they are built. */
export const NPM_PACKAGES = {
  'voxel-dash': root,
  'voxel-repair': join(root, 'dist/repair'),
  'voxel-lab': join(root, 'dist/lab'),
};

/** @typedef {keyof typeof NPM_PACKAGES} NpmPackage */
/** A package as it is published. @typedef {{ path: string, bytes: number, files: string[] }} Tarball */

/**
 * A project outside the checkout that has installed packed packages, and both players beside them. `run` returns what a program of the checkout's
 * `node_modules/.bin`, or `node`, prints.
 * @typedef {{ folder: string, write(file: string, text: string): void, run(program: string, ...args: string[]): string, remove(): void }} Project
 */

/** Packs the built package as it is. @param {NpmPackage} name @param {string} folder for the tarball @returns {Tarball} */
export function packPackage(name, folder) {
  const options = ['--json', '--ignore-scripts', '--pack-destination', folder];
  const printed = execFileSync('npm', ['pack', ...options], { cwd: NPM_PACKAGES[name], encoding: 'utf8' });
  const [{ filename, size, files }] = /** @type {[{ filename: string, size: number, files: { path: string }[] }]} */ (
    JSON.parse(printed)
  );
  return { path: join(folder, filename), bytes: size, files: files.map(({ path }) => path) };
}

/** Installs tarballs into an empty project, without a registry: the peer dependencies are the checkout's. @param {readonly Tarball[]} tarballs @returns {Project} */
export function installTarballs(tarballs) {
  const folder = mkdtempSync(join(tmpdir(), 'voxel-consumer-'));
  /** @type {Project['write']} */
  const write = (file, text) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  write('package.json', JSON.stringify({ name: 'consumer', private: true }));
  const install = ['install', '--offline', '--legacy-peer-deps', '--loglevel=error'];
  execFileSync('npm', [...install, ...tarballs.map(({ path }) => path)], { cwd: folder });
  for (const name of ['dashjs', 'hls.js', '@types'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  return {
    folder,
    write,
    run(program, ...args) {
      const path = program === 'node' ? process.execPath : join(root, 'node_modules/.bin', program);
      const { stdout, stderr } = spawnSync(path, args, { cwd: folder, encoding: 'utf8' });
      return stdout + stderr;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
