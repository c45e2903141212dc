// @ts-check
// A bare Debian in a folder, and a machine that runs it: namespaces of its own, nothing booted.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, root } from '../setup/paths.mjs';
import { outputOf, run, say, UserError } from '../setup/process.mjs';
import { ensurePython } from '../setup/python.mjs';
import { installSystemPackages } from '../setup/system-packages.mjs';
import { ensureSample, ffmpegBinary } from '../start/sample.mjs';
import { BASH } from '../walk/walk.mjs';

export const HOME = '/home/reader';
export const CHECKOUT = `${HOME}/voxel-dash`;
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin';
const USER = '1000';

/** The authority's version, of Go's module proxy. */
const PEBBLE = 'v2.10.3';

/** Where `--ca` is in the root. */
const TRUSTED = '/usr/local/share/newcomer.crt';

/** Settings of registries and proxies that hold in the root, too. */
const INHERITED = /^(https?_proxy|no_proxy|PIP_INDEX_URL|NPM_CONFIG_REGISTRY)$/i;

/** Downloads, and what is built of other people's sources, from run to run. */
const KEPT = {
  apt: '/var/cache/apt/archives',
  npm: `${HOME}/.npm`,
  pip: `${HOME}/.cache/pip`,
  cargo: `${HOME}/.cargo/registry`,
  target: `${HOME}/.cache/voxel-dash/cargo-target`,
};

/** Where cargo builds in the checkout: the same folder, as it takes minutes to build BoringSSL. */
const TARGET = `${CHECKOUT}/server/quiche/target`;

/** Nothing in the root may do this to the machine that it runs on. */
const NEVER = '-sys_boot,-sys_module,-sys_rawio,-sys_time';

export const folderOf = (/** @type {string} */ release) => join(cacheFolder, 'newcomer', release);

/** Answers that a reader would give, and what stands for the network's names. @type {Record<string, string>} */
const FILES = {
  'etc/apt/apt.conf.d/90newcomer':
    'APT::Get::Assume-Yes "true";\nDPkg::Lock::Timeout "600";\nDPkg::Options { "--force-confold"; "--force-unsafe-io"; };\n',
  'etc/sudoers.d/newcomer':
    'reader ALL=(ALL) NOPASSWD: ALL\n' +
    'Defaults env_keep += "DEBIAN_FRONTEND PIP_CERT PIP_INDEX_URL NPM_CONFIG_CAFILE NPM_CONFIG_REGISTRY NODE_EXTRA_CA_CERTS"\n' +
    'Defaults env_keep += "REQUESTS_CA_BUNDLE SYSTEMD_OFFLINE http_proxy https_proxy no_proxy"\n',
  'etc/hosts': '127.0.0.1 localhost debian media.example\n::1 localhost\n',
  'etc/hostname': 'debian\n',
  'etc/resolv.conf': 'nameserver 10.0.2.3\n',
};

/** Unpacks a bare root, which is made once. @param {string} release @param {string | undefined} mirror */
export async function makeRoot(release, mirror) {
  const folder = folderOf(release);
  const archive = `${folder}.tar`;
  mkdirSync(join(cacheFolder, 'newcomer'), { recursive: true });
  if (!existsSync(archive)) {
    if (outputOf('mmdebstrap', ['--version']) === undefined)
      await installSystemPackages(['mmdebstrap'], 'a bare Debian is made with mmdebstrap');
    say(`making a bare ${release} of Debian's packages …`);
    const options = ['--variant=important', '--include=ca-certificates,sudo'];
    // In a name of its own first: an interrupted one is no root.
    const partial = `${folder}.partial.tar`;
    await run('mmdebstrap', [...options, release, partial, ...(mirror === undefined ? [] : [mirror])], {
      output: 'on-failure',
    });
    await run('mv', [partial, archive]);
  }
  say(`unpacking a bare ${release} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run('tar', ['--extract', '--numeric-owner', '--file', archive, '--directory', folder], {
    output: 'on-failure',
  });
  for (const [file, text] of Object.entries(FILES)) {
    rmSync(join(folder, file), { force: true });
    writeFileSync(join(folder, file), text);
  }
  chmodSync(join(folder, 'etc/sudoers.d/newcomer'), 0o440);
  await run('chroot', [folder, 'useradd', '--create-home', '--shell', '/bin/bash', '--uid', USER, 'reader']);
}

/** Puts this checkout, as it is, where the reader has cloned it. @param {string} release */
export async function bringCheckout(release) {
  const folder = folderOf(release);
  const checkout = join(folder, CHECKOUT);
  if (!existsSync(checkout)) await run('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, checkout]);
  const copy =
    'git ls-files --cached --others --exclude-standard -z | tar --create --null --files-from - --ignore-failed-read';
  const script = `cd '${root}' && ${copy} 2>/dev/null | tar --extract --directory '${checkout}' && chown -R ${USER}:${USER} '${folder}${HOME}'`;
  await run('bash', ['-c', script], { output: 'on-failure' });
}

/** The reader's own film: the beginning of the sample, small. @param {string} release */
export async function bringFilm(release) {
  const film = join(folderOf(release), CHECKOUT, 'film.mp4');
  if (existsSync(film)) return;
  await ensurePython('run');
  const input = ['-v', 'error', '-y', '-nostdin', '-i', await ensureSample(), '-t', '8', '-vf', 'scale=426:240'];
  await run(ffmpegBinary(), [...input, '-preset', 'ultrafast', '-crf', '12', '-c:a', 'aac', film], {
    output: 'on-failure',
  });
  await run('chown', [`${USER}:${USER}`, film]);
}

/** A program that is not to be compiled. @param {string} release @param {string} program */
export function bringProgram(release, program) {
  const folder = join(folderOf(release), 'opt/newcomer');
  mkdirSync(folder, { recursive: true });
  copyFileSync(program, join(folder, 'voxel-quiche'));
}

/** An authority for certificates, where Go can build it. @param {string} release @returns {Promise<boolean>} whether it is there */
export async function bringPebble(release) {
  const tools = join(cacheFolder, 'newcomer', 'tools');
  if (!existsSync(join(tools, 'pebble'))) {
    const env = { ...process.env, GOBIN: tools, CGO_ENABLED: '0' };
    try {
      await run('go', ['install', `github.com/letsencrypt/pebble/v2/cmd/pebble@${PEBBLE}`], {
        env,
        output: 'on-failure',
      });
    } catch {
      say('Pebble cannot be built here (Go): certificates are made with openssl');
      return false;
    }
  }
  const folder = join(folderOf(release), 'opt/newcomer');
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(tools, 'pebble'), join(folder, 'pebble'));
  return true;
}

/** @param {string | undefined} ca @returns {NodeJS.ProcessEnv} */
function environmentOf(ca) {
  const inherited = Object.entries(process.env).filter(([name]) => INHERITED.test(name));
  const trusting = ['NODE_EXTRA_CA_CERTS', 'NPM_CONFIG_CAFILE', 'PIP_CERT', 'CARGO_HTTP_CAINFO'];
  return {
    ...{ HOME, USER: 'reader', LOGNAME: 'reader', LANG: 'C.UTF-8', TERM: 'dumb', SHELL: '/bin/bash' },
    ...{ DEBIAN_FRONTEND: 'noninteractive', PYTHONUNBUFFERED: '1', SYSTEMD_OFFLINE: '1' },
    ...Object.fromEntries(inherited),
    ...(ca === undefined ? {} : Object.fromEntries(trusting.map((name) => [name, TRUSTED]))),
  };
}

/**
 * Starts the machine. `place`: where the reader types; `asRoot`: runs a script as root, without the walk's record.
 * @param {string} release @param {{ ca?: string | undefined }} options
 */
export async function startMachine(release, { ca }) {
  const folder = folderOf(release);
  if (outputOf('slirp4netns', ['--version']) === undefined)
    await installSystemPackages(['slirp4netns'], 'the root has a network of its own with slirp4netns');
  if (ca !== undefined) copyFileSync(ca, join(folder, TRUSTED));
  const kept = Object.entries(KEPT).flatMap(([name, place]) => {
    const shared = join(cacheFolder, 'newcomer', `kept-${release}`, name);
    mkdirSync(shared, { recursive: true });
    if (name !== 'apt') spawnSync('chown', [`${USER}:${USER}`, shared]);
    return name === 'target' ? [shared, place, shared, TARGET] : [shared, place];
  });
  const spaces = ['--mount', '--net', '--pid', '--ipc', '--uts', '--fork', '--kill-child'];
  const init = spawn('unshare', [...spaces, 'sh', join(root, 'tools/newcomer/machine.sh'), folder, ...kept], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  /** @type {import('node:child_process').ChildProcess[]} */
  const started = [init];
  const end = () => started.forEach((child) => child.kill('SIGKILL'));
  process.once('exit', end);
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(130));
  let complaint = '';
  init.stderr.on('data', (/** @type {Buffer} */ chunk) => (complaint += chunk.toString()));
  const [ready] = await Promise.race([once(init.stdout, 'data'), once(init, 'exit')]);
  if (!(ready instanceof Buffer)) throw new UserError(`the bare root does not start: ${complaint.trim()}`);
  const pid = readFileSync(`/proc/${init.pid}/task/${init.pid}/children`, 'utf8').trim();
  started.push(await connect(pid));
  // Folders that mounts needed are root's; a reader's are the reader's own.
  spawnSync('chown', [
    `${USER}:${USER}`,
    ...['.cache', '.cache/voxel-dash', '.cargo'].map((name) => join(folder, HOME, name)),
  ]);
  const env = environmentOf(ca);
  const enter = ['--target', pid, '--mount', '--net', '--pid', '--ipc', '--uts'];
  /** @type {import('../walk/walk.mjs').Place} */
  const place = (script, terminal) => {
    const variables = Object.entries({ ...env, PATH: terminal.path }).map(([name, value]) => `${name}=${value}`);
    const user = ['setpriv', `--bounding-set=${NEVER}`, `--reuid=${USER}`, `--regid=${USER}`, '--init-groups'];
    const typed = `cd '${terminal.folder}'\n${script}`;
    return {
      command: 'nsenter',
      args: [...enter, ...user, 'env', '-i', ...variables, 'bash', ...BASH, typed],
      env: process.env,
    };
  };
  return { place, folder: CHECKOUT, path: PATH, stop: end };
}

/** Gives the machine a network whose only way out is through this one's. @param {string} pid of its first process */
async function connect(pid) {
  const options = ['--configure', '--mtu=65520', '--disable-host-loopback', '--ready-fd=3', pid, 'tap0'];
  const child = spawn('slirp4netns', options, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const [ready] = await Promise.race([
    once(/** @type {import('node:stream').Readable} */ (child.stdio[3]), 'data'),
    once(child, 'exit'),
  ]);
  if (!(ready instanceof Buffer))
    throw new UserError('slirp4netns cannot connect the bare root: is there a /dev/net/tun?');
  return child;
}
