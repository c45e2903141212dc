import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { root } from './paths.mjs';
import { cargoEnvironment, claimTargetFolder, hasCargo, isNewEnough, noRust } from './rust.mjs';

const MANIFEST = '[package]\nname = "greeting"\nversion = "0.1.0"\nedition = "2021"\n';
const LONG_AGO = new Date('2020-01-01');

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'clones-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** A clone whose sources are older than all builds. */
function clone(name: string): string {
  const project = join(folder, name, 'greeting');
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'Cargo.toml'), MANIFEST);
  writeFileSync(join(project, 'src/main.rs'), `fn main() { print!("${name}"); }\n`);
  for (const file of ['Cargo.toml', 'src/main.rs']) utimesSync(join(project, file), LONG_AGO, LONG_AGO);
  return project;
}

it.skipIf(!hasCargo('lab/link'))(
  `of clones that share a target folder each gets what it has built (else: ${noRust('lab/link')})`,
  () => {
    const [target, one, other] = [join(folder, 'target'), clone('one'), clone('other')];
    const environment = { ...cargoEnvironment, CARGO_TARGET_DIR: target };
    const built = [one, other, one].map((project) => {
      claimTargetFolder(project, target);
      execFileSync('cargo', ['build', '--offline', '--quiet'], { cwd: project, env: environment });
      return execFileSync(join(target, 'debug/greeting'), { encoding: 'utf8' });
    });
    expect(built).toEqual(['one', 'other', 'one']);
  },
  120_000,
);

it('holds cargo to the version that a project needs, and says which that is', () => {
  const versions = ['', 'cargo 0.99.0', 'cargo 1.87.2 (99624be96 2025-05-06)', 'cargo 1.88.0', 'cargo 2.0.0'];
  expect(versions.map((version) => isNewEnough(version, '1.88'))).toEqual([false, false, false, true, true]);
  const documented = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  for (const [project, name] of [
    ['server/quiche', 'the quiche server'],
    ['lab/link', 'the link emulator, trials'],
  ] as const) {
    const [, oldest] = new RegExp(`^\\| ${name} +\\| Rust ≥ ([\\d.]+)`, 'm').exec(documented) ?? [];
    expect(noRust(project)).toBe(`Rust ≥ ${oldest} (cargo) is not installed`);
  }
});
