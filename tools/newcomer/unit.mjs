// @ts-check
// What a systemd unit starts, for a root in which no systemd runs.

/** @typedef {{ user: string, environment: Record<string, string>, command: string[], stateFolder: string | undefined }} Start */

/**
 * Reads of a unit what its service is started with, as systemd.exec(5) and systemd.service(5) say.
 * @param {string} text of the unit @param {(path: string) => string | undefined} read files of its root; undefined: there is none
 * @param {string} [instance] of a template @returns {Start} Throws where a file that must be there is not.
 */
export function startOf(text, read, instance = '') {
  const settings = settingsOf(text.replaceAll('%i', instance));
  const last = (/** @type {string} */ name) => settings.findLast(([each]) => each === name)?.[1];
  /** @type {Record<string, string>} */
  const environment = {};
  for (const [name, value] of settings) {
    if (name === 'Environment') Object.assign(environment, variablesOf(wordsOf(value)));
    if (name === 'EnvironmentFile') Object.assign(environment, variablesOf(linesOf(value, read)));
  }
  const command = wordsOf(last('ExecStart') ?? '').flatMap((word) => {
    const whole = /^\$(\w+)$/.exec(word);
    // A variable without braces is as many words as it has; with braces it is one.
    if (whole) return wordsOf(environment[whole[1] ?? ''] ?? '');
    return [word.replaceAll(/\$\{(\w+)\}/g, (_, /** @type {string} */ name) => environment[name] ?? '')];
  });
  return { user: last('User') ?? 'root', environment, command, stateFolder: last('StateDirectory') };
}

/** @param {string} text @returns {[name: string, value: string][]} */
function settingsOf(text) {
  const lines = text.replaceAll(/\\\n\s*/g, ' ').split('\n');
  return lines.flatMap((line) => {
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [/** @type {[string, string]} */ ([name, value ?? ''])];
  });
}

/** @param {string} text @returns {string[]} */
const wordsOf = (text) => [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** @param {string} named with a `-` before it where the file may be missing @param {(path: string) => string | undefined} read */
function linesOf(named, read) {
  const path = named.replace(/^-/, '');
  const text = read(path);
  if (text === undefined && path === named) throw new Error(`EnvironmentFile=${named}: no such file`);
  return (text ?? '').split('\n').filter((line) => line.includes('=') && !line.startsWith('#'));
}

/** @param {string[]} assignments @returns {Record<string, string>} */
const variablesOf = (assignments) =>
  Object.fromEntries(
    assignments.map((each) => [
      each.split('=')[0] ?? '',
      each.slice(each.indexOf('=') + 1).replace(/^(["'])(.*)\1$/, '$2'),
    ]),
  );
