import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';

/** A project outside the checkout that has installed the packed package, and both players beside it. */
export interface Consumer {
  readonly folder: string;
  /** What `npm pack` put into the tarball. */
  readonly files: readonly string[];
  write(file: string, text: string): void;
  /** What a program of the checkout's `node_modules/.bin`, or `node`, prints. */
  run(program: string, ...args: string[]): string;
  remove(): void;
}

/** Packs `dist/` as it is and installs the tarball into an empty project, without a registry. */
export function installPackage(): Consumer {
  const folder = mkdtempSync(join(tmpdir(), 'voxel-consumer-'));
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
  });
  const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  write('package.json', JSON.stringify({ name: 'consumer', private: true }));
  // The peer dependencies are the checkout's: nothing is asked of a registry.
  execFileSync('npm', ['install', '--offline', '--legacy-peer-deps', '--loglevel=error', `./${filename}`], {
    cwd: folder,
  });
  for (const name of ['dashjs', 'hls.js', '@types'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  return {
    folder,
    files: files.map(({ path }) => path),
    write,
    run(program, ...args) {
      const path = program === 'node' ? process.execPath : join(root, 'node_modules/.bin', program);
      const { stdout, stderr } = spawnSync(path, args, { cwd: folder, encoding: 'utf8' });
      return stdout + stderr;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** `package.json` of the checkout. */
export function readManifest(): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
}
