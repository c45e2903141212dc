// @ts-check
import { parseCommandLine } from '../setup/command-line.mjs';
import { UserError } from '../setup/process.mjs';

export const IMAGES = /** @type {const} */ (['quiche', 'serve', 'prepare']);
/** Those that serve, which `--try` plays from. */
export const SERVERS = /** @type {const} */ (['quiche', 'serve']);

const DEBIAN = 'docker.io/library/debian:bookworm-slim';

export const USAGE = `Usage: npm run images -- [IMAGE…] [options]

Builds the container images ${IMAGES.map((name) => `voxel-${name}`).join(', ')} (IMAGE: ${IMAGES.join(', ')}; all of them by default) with buildah,
writes each as an archive to output/images/ and prints its size.

  --base IMAGE    what they are built on (${DEBIAN})
  --mmdebstrap    instead, a base made of Debian's packages here, for machines that reach no image registry
  --program FILE  a voxel-quiche that was built on Debian 12, instead of building it (which takes BoringSSL and some minutes)
  --ca FILE       certificates to trust while building, such as a company's proxy (SSL_CERT_FILE)
  --try           build nothing: start the built images of ${SERVERS.join(' and ')} (or IMAGE), play the sample from each in headless Chrome,
                  and print the seconds from the container's start to the first picture
  --limit SECONDS with --try: fail if the first picture comes later (60)
  --help          this text

Containers are built and run as root without any container daemon; STORAGE_DRIVER names another storage driver of buildah than vfs.`;

/** @typedef {(typeof IMAGES)[number]} ImageName */
/** @typedef {{ images: ImageName[], base: string | undefined, program: string | undefined, ca: string | undefined, tried: boolean, limit: number, help: boolean }} ImageOptions */

/** @param {string[]} args @param {NodeJS.ProcessEnv} env @returns {ImageOptions} `base`: undefined with --mmdebstrap */
export function parseOptions(args, env) {
  const { values, positionals } = parseCommandLine({
    args,
    allowPositionals: true,
    options: {
      base: { type: 'string' },
      mmdebstrap: { type: 'boolean', default: false },
      program: { type: 'string' },
      ca: { type: 'string' },
      try: { type: 'boolean', default: false },
      limit: { type: 'string', default: '60' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.mmdebstrap && values.base !== undefined) throw new UserError('--base and --mmdebstrap exclude each other');
  const allowed = /** @type {readonly string[]} */ (values.try ? SERVERS : IMAGES);
  const unknown = positionals.find((name) => !allowed.includes(name));
  if (unknown !== undefined) throw new UserError(`IMAGE must be one of ${allowed.join(', ')}, got '${unknown}'`);
  const limit = Number(values.limit);
  if (!(limit > 0)) throw new UserError(`--limit must be a number of seconds, got '${values.limit}'`);
  return {
    images: /** @type {ImageName[]} */ (positionals.length > 0 ? positionals : [...allowed]),
    base: values.mmdebstrap ? undefined : (values.base ?? DEBIAN),
    program: values.program,
    ca: values.ca ?? env.SSL_CERT_FILE,
    tried: values.try,
    limit,
    help: values.help,
  };
}
