// @ts-check
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { integerOption, parseCommandLine } from '../setup/command-line.mjs';
import { root } from '../setup/paths.mjs';
import { UserError } from '../setup/process.mjs';

export const USAGE = `Usage: npm run site [-- options]

Builds the site of the project's documents: static files with relative addresses, for any web server and any folder of it.
A link that leads nowhere fails the build.

  --out DIR        where to (default: output/site); replaced if a site is there
  --recording DIR  put this recording of \`npm run compare -- --record DIR\` on the first page
  --record         play a comparison first (about a minute; the first time some more) and put its recording, output/recorded, there
  --serve          serve it when it is built
  --port N         with --serve: the port (default 8091, 0: any)
  --help           this text

Exit codes: 0 built, 1 a link is broken or the build failed, 2 bad input.`;

/** @param {string} folder */
function recordingIn(folder) {
  if (!existsSync(join(folder, 'index.html')))
    throw new UserError(
      `--recording must be a folder that \`npm run compare -- --record DIR\` wrote: ${folder} has no index.html`,
    );
  return resolve(folder);
}

/** @typedef {ReturnType<typeof parseOptions>} SiteOptions */

/** Throws a `UserError` that names the option. @param {string[]} args */
export function parseOptions(args) {
  const { values } = parseCommandLine({
    args,
    options: {
      out: { type: 'string' },
      recording: { type: 'string' },
      record: { type: 'boolean', default: false },
      serve: { type: 'boolean', default: false },
      port: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.port !== undefined && !values.serve) throw new UserError('--port can only be used with --serve');
  if (values.record && values.recording !== undefined)
    throw new UserError('--record cannot be used with --recording: one of them is shown');
  return {
    out: values.out === undefined ? join(root, 'output/site') : resolve(values.out),
    recording: values.recording === undefined ? undefined : recordingIn(values.recording),
    record: values.record,
    serve: values.serve,
    port: integerOption('port', values.port ?? '8091', { low: 0, high: 65_535 }),
    help: values.help,
  };
}
