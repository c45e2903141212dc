// @ts-check
// `npm run images`: builds the container images, and shows that their servers play.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianBase } from './images/base.mjs';
import { build, ensureBase, ensureBuildah, hasBuildah, isBuilt, save } from './images/buildah.mjs';
import { parseOptions, USAGE } from './images/options.mjs';
import { ensureChrome } from './setup/chrome.mjs';
import { ensureBuild, ensureNodePackages } from './setup/node.mjs';
import { root } from './setup/paths.mjs';
import { outputOf, runCommand, say, UserError } from './setup/process.mjs';
import { ensurePython } from './setup/python.mjs';

/** @typedef {import('./images/options.mjs').ImageOptions} ImageOptions */

/** Of the commit: the same sources give the same image, whenever they are built. */
function commitTime() {
  const seconds = outputOf('git', ['-C', root, 'log', '-1', '--format=%ct']);
  return Number(process.env.SOURCE_DATE_EPOCH ?? seconds ?? 0);
}

const megabytes = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** @param {ImageOptions} options */
async function buildAll({ images, base, program, ca }) {
  await ensureBuildah();
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const timestamp = commitTime();
  const from = base ?? (await debianBase(timestamp));
  await ensureBase(from);
  for (const name of images) {
    say(
      `building voxel-${name}${name === 'quiche' && program === undefined ? ', with BoringSSL (some minutes the first time)' : ''} …`,
    );
    const started = Date.now();
    await build(name, { base: from, program, ca, version, timestamp });
    const { file, packed, unpacked } = await save(name);
    const seconds = Math.round((Date.now() - started) / 1000);
    console.log(
      `voxel-${name}: ${megabytes(packed)} to download, ${megabytes(unpacked)} unpacked, built in ${seconds} s: ${file}`,
    );
  }
}

/** @param {ImageOptions} options @returns exit code */
async function tryAll({ images, limit }) {
  if (!hasBuildah()) throw new UserError('buildah is not installed: npm run images builds the images first');
  const missing = images.find((name) => !isBuilt(name));
  if (missing !== undefined)
    throw new UserError(`there is no image voxel-${missing} yet: npm run images -- ${missing}`);
  const [chrome] = await Promise.all([ensureChrome(), ensurePython('run'), ensureNodePackages().then(ensureBuild)]);
  const { prepareVideo } = await import('./start/prepare.mjs');
  const { report, tryImage } = await import('./images/try.mjs');
  const media = await prepareVideo({ video: undefined, duration: undefined });
  let ok = true;
  for (const name of images) ok = report(await tryImage(name, { media, chrome }), limit) && ok;
  return ok ? 0 : 1;
}

await runCommand(async () => {
  const options = parseOptions(process.argv.slice(2), process.env);
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  return options.tried ? tryAll(options) : buildAll(options).then(() => 0);
});
