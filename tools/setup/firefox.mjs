// @ts-check
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @returns the path of an installed Firefox ESR or Firefox; `$FIREFOX` goes first */
export function findFirefox() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = ['firefox-esr', 'firefox'].flatMap((name) => folders.map((folder) => join(folder, name)));
  return [process.env.FIREFOX ?? '', ...candidates].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return path !== '';
    } catch {
      return false;
    }
  });
}
