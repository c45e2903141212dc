import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateCmcdRequest } from '@svta/cml-cmcd';
import { root, venvProgram } from '../../../tools/setup/paths.mjs';

/** A request that a server had. */
export interface Tapped {
  readonly over: 'http' | 'session';
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A voxel-serve that keeps its requests, as a program in that folder. */
export function tappedServer(folder: string) {
  const tap = join(folder, 'requests.jsonl');
  const program = join(folder, 'tapped-server');
  const script = join(root, 'test/browser/support/tapped_server.py');
  writeFileSync(program, `#!/bin/sh\nTAP='${tap}' exec '${venvProgram('python')}' '${script}' "$@"\n`);
  chmodSync(program, 0o755);
  return {
    program,
    /** Forgets those so far. */
    begin: () => writeFileSync(tap, ''),
    /** Those for media, indexes and manifests. */
    requests(): Tapped[] {
      const lines = readFileSync(tap, 'utf8').trim().split('\n');
      return lines.map((line) => JSON.parse(line) as Tapped).filter(({ target }) => target.startsWith('/media/'));
    },
  };
}

/** What the validator of the Common Media Library says of a request, and the keys of its CMCD. */
export function validated({ target, headers }: Tapped) {
  const fields = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('cmcd-')));
  const url = `https://media.example${target}`;
  const { valid, issues, data } = validateCmcdRequest({ url, headers: fields });
  return { valid, issues, data: data as Record<string, unknown>, target };
}
