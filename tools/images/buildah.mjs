// @ts-check
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '../setup/paths.mjs';
import { outputOf, run, UserError } from '../setup/process.mjs';
import { installSystemPackages } from '../setup/system-packages.mjs';

/** Storage that works everywhere, inside of containers, too. */
const DRIVER = process.env.STORAGE_DRIVER ?? 'vfs';

/** For `buildah run` and builds: no container runtime, which kernels and outer containers may refuse. */
export const ISOLATION = ['--isolation', 'chroot'];

/** Where a build finds certificates of `--ca`. */
const CA_INSIDE = '/host-certificates.crt';

/** @param {string[]} args @returns {[string, string[]]} command and arguments */
export const buildah = (...args) => ['buildah', ['--storage-driver', DRIVER, ...args]];

/** @param {string[]} args @returns {string} what it prints */
export function ask(...args) {
  const output = outputOf(...buildah(...args));
  if (output === undefined) throw new UserError(`buildah ${args.join(' ')} failed`, 1);
  return output;
}

export const hasBuildah = () => outputOf('buildah', ['--version']) !== undefined;

export async function ensureBuildah() {
  if (!hasBuildah()) await installSystemPackages(['buildah'], 'images are built with buildah');
}

/** @param {string} name */
export const imageOf = (name) => `localhost/voxel-${name}`;

/** @param {string} image */
const isHere = (image) => outputOf(...buildah('inspect', '--type', 'image', image)) !== undefined;

/** @param {string} name */
export const isBuilt = (name) => isHere(imageOf(name));

/** Brings the base of builds here, before they begin. @param {string} image */
export async function ensureBase(image) {
  if (isHere(image)) return;
  const [program, args] = buildah('pull', '--quiet', image);
  await run(program, args, { output: 'on-failure' }).catch(() => {
    const instead = 'npm run images -- --mmdebstrap makes a base without an image registry';
    throw new UserError(`cannot get the base image ${image}: ${instead}`, 1);
  });
}

/**
 * @param {string} name @param {{ base: string, program: string | undefined, ca: string | undefined, version: string, timestamp: number }} settings
 * `timestamp`: of all files and of the image, in seconds since 1970
 */
export async function build(name, { base, program: given, ca, version, timestamp }) {
  for (const [option, file] of Object.entries({ ca, program: given })) {
    if (file !== undefined && !existsSync(file)) throw new UserError(`--${option}: no such file: ${file}`);
  }
  const trusted = ['CARGO_HTTP_CAINFO', 'PIP_CERT'].flatMap((arg) => ['--build-arg', `${arg}=${CA_INSIDE}`]);
  const [program, args] = buildah(
    ...['bud', ...ISOLATION, '--format', 'docker', '--layers=false', '--timestamp', String(timestamp)],
    ...['--build-arg', `BASE=${base}`, '--label', `org.opencontainers.image.version=${version}`],
    ...(ca === undefined ? [] : ['--volume', `${resolve(ca)}:${CA_INSIDE}:ro`, ...trusted]),
    ...(given === undefined ? [] : ['--volume', `${resolve(given)}:/prebuilt:ro`]),
    ...['--tag', `${imageOf(name)}:${version}`, '--tag', `${imageOf(name)}:latest`],
    ...['--file', join(root, 'deploy', `${name}.Containerfile`), root],
  );
  await run(program, args, { output: 'on-failure' });
}

/** Writes an image as an OCI archive. @param {string} name @returns {Promise<{ file: string, packed: number, unpacked: number }>} bytes */
export async function save(name) {
  const folder = join(root, 'output', 'images');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `voxel-${name}.tar`);
  rmSync(file, { force: true });
  const [program, args] = buildah('push', '--quiet', imageOf(name), `oci-archive:${file}:voxel-${name}:latest`);
  await run(program, args, { output: 'on-failure' });
  return { file, packed: statSync(file).size, unpacked: await unpackedBytes(name) };
}

/** Of all files of an image. @param {string} name */
async function unpackedBytes(name) {
  return withContainer(name, (_, folder) => {
    const [bytes] = (outputOf('du', ['--summarize', '--bytes', folder]) ?? '').split('\t');
    return Promise.resolve(Number(bytes));
  });
}

/**
 * Makes a container of an image and removes it in the end.
 * @template Result
 * @param {string} name @param {(container: string, folder: string) => Promise<Result>} use `folder`: its files
 * @returns {Promise<Result>}
 */
export async function withContainer(name, use) {
  const container = ask('from', '--pull-never', imageOf(name));
  try {
    return await use(container, ask('mount', container));
  } finally {
    ask('rm', container);
  }
}
