// @ts-check
import { existsSync } from 'node:fs';
import { outputOf, run, say, UserError } from './process.mjs';

/** apt allows one run at a time, and the steps of the set-up run side by side. @type {Promise<void>} */
let queue = Promise.resolve();

/** @returns the words that make apt-get run as root, or undefined where that is not possible without a password */
function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  return outputOf('sudo', ['-n', 'true']) === undefined ? undefined : ['sudo', '-n'];
}

/**
 * Installs Debian or Ubuntu packages. Throws a `UserError` with the command to type where that is not possible.
 * @param {string[]} names @param {string} purpose @returns {Promise<void>}
 */
export function installSystemPackages(names, purpose) {
  const install = queue.then(async () => {
    const prefix = rootPrefix();
    const byHand = `${purpose}: install it with \`sudo apt-get install ${names.join(' ')}\``;
    if (!existsSync('/usr/bin/apt-get') || prefix === undefined) throw new UserError(byHand);
    say(`installing ${names.join(', ')} from the system's packages …`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const apt = [...prefix, 'apt-get', '-qq'];
    await run(/** @type {string} */ (apt[0]), [...apt.slice(1), 'update'], { env, output: 'on-failure' });
    const install = [...apt.slice(1), 'install', '-y', '--no-install-recommends', ...names];
    await run(/** @type {string} */ (apt[0]), install, { env, output: 'on-failure' });
  });
  queue = install.catch(() => undefined);
  return install;
}
