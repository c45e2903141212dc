import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ensureChrome } from '../../tools/setup/chrome.mjs';
import { root, venvProgram } from '../../tools/setup/paths.mjs';
import { outputOf } from '../../tools/setup/process.mjs';
import { ensureLinkEmulator, ensureQuicheServer, quicheServer } from '../../tools/setup/rust.mjs';
import { MOST_PATHS, serverAddress } from './addresses.js';
import type { Screen } from './job.js';
import { bundlePage, type PageFiles } from './page-bundle.js';
import type { Versions } from './result.js';
import type { ServerName } from './serving.js';

/** All that trials need but their conditions; the same for all of a run. */
export interface Laboratory {
  readonly linkemu: string;
  /** Programs; those that were asked for are built. */
  readonly servers: Readonly<Record<ServerName, string>>;
  readonly chrome: string;
  readonly page: PageFiles;
  readonly screen: Screen;
  /** The programs of `inside/` in one file each: many start, and to read puppeteer and TypeScript anew takes longer than all else that they do. */
  readonly inside: Readonly<Record<'server' | 'client', string>>;
  readonly certificate: string;
  readonly key: string;
  /** Base64 SHA-256 of the certificate's public key. */
  readonly spki: string;
  /** The server's root: trials ask for media only. */
  readonly emptyFolder: string;
  readonly versions: Omit<Versions, 'browser'>;
  /** Ends what runs. */
  readonly signal: AbortSignal;
  close(): void;
}

const SCREEN: Screen = { width: 1280, height: 720 };

export async function openLaboratory(
  signal: AbortSignal,
  servers: readonly ServerName[] = ['aioquic'],
  screen: Screen = SCREEN,
): Promise<Laboratory> {
  const [chrome, { linkemu }, page] = await Promise.all([ensureChrome(), ensureLinkEmulator(), bundlePage()]);
  const quiche = servers.includes('quiche') ? await ensureQuicheServer() : quicheServer;
  const folder = mkdtempSync(join(tmpdir(), 'voxel-trials-'));
  const emptyFolder = join(folder, 'empty');
  mkdirSync(emptyFolder);
  const [server, client] = await Promise.all(['server', 'client'].map((name) => bundleProgram(name, folder)));
  const addresses = Array.from({ length: MOST_PATHS }, (_, path) => serverAddress(path));
  const make = [join(import.meta.dirname, 'certificate.py'), folder, ...addresses];
  const spki = execFileSync(venvProgram('python'), make, { encoding: 'utf8' }).trim();
  return {
    servers: { aioquic: venvProgram('voxel-serve'), quiche },
    ...{ linkemu, chrome, page, screen, spki, emptyFolder, signal },
    inside: { server: server!, client: client! },
    certificate: join(folder, 'certificate.pem'),
    key: join(folder, 'key.pem'),
    versions: versions(),
    close: () => rmSync(folder, { recursive: true }),
  };
}

/** For modules that ask for others as CommonJS does. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** Returns the path of the program in `folder`. */
async function bundleProgram(name: string, folder: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  const entryPoints = [join(import.meta.dirname, 'inside', `${name}.ts`)];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', banner: { js: REQUIRE } });
  return outfile;
}

/** Commit of the checkout; with a '+' where it has changes. */
export function commitHere(): string {
  const git = (...args: string[]) => outputOf('git', ['-C', root, ...args]);
  return `${git('rev-parse', '--short', 'HEAD') ?? 'unknown'}${git('status', '--porcelain') ? '+' : ''}`;
}

function versions(): Omit<Versions, 'browser'> {
  const dashjs = JSON.parse(readFileSync(join(root, 'node_modules/dashjs/package.json'), 'utf8')) as {
    version: string;
  };
  const [first] = cpus();
  return {
    commit: commitHere(),
    dashjs: dashjs.version,
    node: process.version,
    machine: `${cpus().length} × ${first?.model ?? 'unknown processor'}, Linux ${release()}`,
  };
}
