// @ts-check
import { existsSync } from 'node:fs';
import { parseCommandLine } from '../setup/command-line.mjs';
import { UserError } from '../setup/process.mjs';
import { DOCUMENTS } from './documents.mjs';

/** Debian 12 and 13. */
export const RELEASES = ['bookworm', 'trixie'];

const NAMES = DOCUMENTS.map(({ document }) => document);

export const USAGE = `Usage: npm run newcomer -- RELEASE… [options]

Follows ${NAMES[0]}, the tutorials and ${NAMES.at(-1)} block by block, as printed, on a bare Debian (RELEASE: ${RELEASES.join(', ')}) that is made of Debian's
packages in a folder, by a user who may use sudo, in a network of its own; and prints what was run, what stood in for a block that needs a
public name, an authority, an image registry or a published package, and what is only listed. Takes an hour or more; a second run goes on
with the documents that have not been walked through without a failure.

  --only DOC       one document, or several: --only README.md,docs/DEPLOY.md (in the root as it is)
  --fresh          begin anew, from a bare root
  --mirror URL     of Debian's packages (default: Debian's own)
  --ca FILE        certificates to trust for npm, pip and cargo, such as a company's proxy (SSL_CERT_FILE)
  --program FILE   a voxel-quiche that was built on Debian 12, instead of building it (which takes BoringSSL and some minutes)
  --list           print the documents' blocks and what becomes of each, and run nothing
  --help           this text

Needs root, mmdebstrap and slirp4netns. Logs: output/newcomer/. Exit codes: 0 all held, 1 a block failed, 2 bad input or the machine lacks
something.`;

/** @param {string[]} args @param {NodeJS.ProcessEnv} env */
export function parseOptions(args, env) {
  const { values, positionals } = parseCommandLine({
    args,
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      fresh: { type: 'boolean', default: false },
      mirror: { type: 'string' },
      ca: { type: 'string' },
      program: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const only = values.only.flatMap((list) => list.split(','));
  refuseUnknown('--only', only, NAMES);
  refuseUnknown('RELEASE', positionals, RELEASES);
  for (const name of /** @type {const} */ (['ca', 'program']))
    if (values[name] !== undefined && !existsSync(values[name]))
      throw new UserError(`--${name}: no such file: ${values[name]}`);
  if (positionals.length === 0 && !values.list && !values.help)
    throw new UserError(`name a release: ${RELEASES.join(', ')} (see --help)`);
  return { ...values, only, releases: positionals, ca: values.ca ?? env.SSL_CERT_FILE };
}

/** @param {string} name @param {string[]} given @param {string[]} allowed */
function refuseUnknown(name, given, allowed) {
  const unknown = given.find((each) => !allowed.includes(each));
  if (unknown !== undefined) throw new UserError(`${name} must be one of ${allowed.join(', ')}, got '${unknown}'`);
}
