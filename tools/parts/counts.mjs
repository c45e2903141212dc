// @ts-check
// What the test runners counted, read from the output that they write for machines.

import { basename, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../setup/paths.mjs';

/**
 * `leftOut`: a line for each reason why something was skipped. `failures`: the failed tests, each with its name, a colon and the first
 * lines of its error; absent where the runner does not name them. `files`: the test files with failed tests, as the runner takes them to run
 * one again; those that it does not name are in none.
 * @typedef {{ passed: number, failed: number, skipped: number, leftOut: string[], failures?: string[], files?: FailedFile[] }} Counts
 */

/** A file of which tests failed: how many, and which. @typedef {{ file: string, failed: number, failures: string[] }} FailedFile */

/** @param {readonly (readonly [file: string | undefined, failure: string])[]} failed @returns {FailedFile[]} */
function byFile(failed) {
  /** @type {Map<string, string[]>} */
  const files = new Map();
  for (const [file, text] of failed) if (file !== undefined) files.set(file, [...(files.get(file) ?? []), text]);
  return [...files].map(([file, failures]) => ({ file, failed: failures.length, failures }));
}

/** Tests print this in front of the reason for which they leave something out. */
const LEFT_OUT = /^(?:left out|skipped): (.+)$/gm;

/** Of an error: what says most stands there, and a page's console can be long. */
const ERROR_LINES = 12;

/** @param {string} name @param {string} error maybe in colour, with or without a stack of which one line is kept */
function failure(name, error) {
  const lines = stripVTControlCharacters(error).trim().split('\n');
  const stack = lines.findIndex((line) => /^\s+at /.test(line));
  const kept = stack < 0 ? lines : lines.slice(0, stack + 1);
  return `${name}: ${[...kept.slice(0, ERROR_LINES), ...(kept.length > ERROR_LINES ? ['…'] : [])].join('\n')}`;
}

/** @param {string} output of a test runner, maybe in colour @returns the reasons that its tests printed, each once */
export function reasonsIn(output) {
  return [...new Set([...stripVTControlCharacters(output).matchAll(LEFT_OUT)].map(([, reason = '']) => reason.trim()))];
}

/**
 * @param {unknown} report of vitest's JSON reporter @param {string} output what vitest printed besides
 * @returns {Counts} a file that could not be loaded counts as one failed test
 */
export function vitestCounts(report, output) {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } =
    /** @type {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number,
     *    testResults: { name: string, status: string, message: string,
     *      assertionResults: { status: string, fullName: string, failureMessages: string[] }[] }[] }} */ (report);
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((result) => result.status !== 'failed'),
  );
  const failed = [
    ...broken.map(({ name, message }) => /** @type {const} */ ([name, failure(basename(name), message)])),
    ...testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'failed')
        .map(
          ({ fullName, failureMessages }) =>
            /** @type {const} */ ([name, failure(`${basename(name)}: ${fullName}`, failureMessages.join('\n'))]),
        ),
    ),
  ];
  return {
    passed: numPassedTests,
    failed: numFailedTests + broken.length,
    skipped: numPendingTests + numTodoTests,
    leftOut: reasonsIn(output),
    failures: failed.map(([, text]) => text),
    // An error outside of tests fails the run, and is in no file's results.
    files: OUTSIDE.test(stripVTControlCharacters(output))
      ? []
      : byFile(failed.map(([name, text]) => [relative(root, name), text])),
  };
}

/** What vitest says of errors outside of tests, of a worker that died, too. */
const OUTSIDE = /Unhandled (?:Errors?|Rejection)/;

const FAILED_CASE = /<testcase classname="([^"]*)" name="([^"]*)"[^>]*>\s*<(?:failure|error)\b[^>]* message="([^"]*)"/g;

/** @param {string} xml JUnit XML as pytest writes it @returns {Counts} an error of a fixture counts as a failed test */
export function pytestCounts(xml) {
  const [suite = ''] = /<testsuite\b[^>]*>/.exec(xml) ?? [];
  const number = (/** @type {string} */ name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(suite)?.[1] ?? NaN);
  const [failed, skipped] = [number('failures') + number('errors'), number('skipped')];
  const reasons = [...xml.matchAll(/<skipped\b[^>]* message="([^"]*)"/g)].map(([, reason = '']) => unescaped(reason));
  const cases = [...xml.matchAll(FAILED_CASE)].map(([, place = '', name = '', message = '']) => ({
    place: unescaped(place),
    text: failure(`${unescaped(place)}: ${unescaped(name)}`, unescaped(message)),
  }));
  return {
    ...{ passed: number('tests') - failed - skipped, failed, skipped, leftOut: [...new Set(reasons)] },
    failures: cases.map(({ text }) => text),
    files: byFile(cases.map(({ place, text }) => [DIED.test(text) ? undefined : pythonFile(place), text])),
  };
}

/** What pytest-xdist says of a test in which a worker died. */
const DIED = /worker '\w+' crashed while running/;

/** @param {string} place dotted: packages, module, maybe a class @returns its file, or undefined where it is no test's */
const pythonFile = (place) => /^(?:\w+\.)*?test_\w+/.exec(place)?.[0].replaceAll('.', '/').concat('.py');

/**
 * @param {string} output of `cargo test` @returns {Counts} a test that passes after it has printed `left out: REASON`
 *   counts as skipped
 */
export function cargoCounts(output) {
  const counts = { passed: 0, failed: 0, skipped: 0, leftOut: reasonsIn(output) };
  for (const [, passed, failed, ignored] of output.matchAll(
    /^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/gm,
  )) {
    counts.passed += Number(passed);
    counts.failed += Number(failed);
    counts.skipped += Number(ignored);
  }
  const failed = [...output.matchAll(/^---- (.+) stdout ----\n([^]*?)\n(?=\n\n|---- |failures:)/gm)].map(
    ([, name = '', error = '']) => /** @type {const} */ ([moduleOf(name), failure(name, error)]),
  );
  const early = [...output.matchAll(LEFT_OUT)].length;
  return {
    ...{ ...counts, passed: counts.passed - early, skipped: counts.skipped + early },
    failures: failed.map(([, text]) => text),
    files: ABORTED.test(output) ? [] : byFile(failed),
  };
}

/** What cargo says of a program that ended otherwise than with failed tests. */
const ABORTED = /process didn't exit successfully/;

/** @param {string} test @returns the module whose tests it is one of, or undefined: `edge::upstream` of `edge::upstream::tests::waits` */
const moduleOf = (test) => /^(.+?)(?:::tests)?::\w+$/.exec(test)?.[1];

/** @param {string} output of `npm run trials -- --smoke` @returns {Counts} each trial is a test, each system a file */
export function smokeCounts(output) {
  const [, all, failed] = /^(\d+) trials, (\d+) of them failed$/m.exec(output) ?? [];
  const leftOut = reasonsIn(output);
  const named = [...output.matchAll(/^failed: (\S+) (.+)$/gm)].map(
    ([, system = '', text = '']) => /** @type {const} */ ([system, `${system} ${text}`]),
  );
  return {
    ...{ passed: Number(all) - Number(failed), failed: Number(failed), skipped: leftOut.length, leftOut },
    failures: named.map(([, text]) => text),
    files: byFile(named),
  };
}

/** @param {string} output of `npm run release -- --dry-run` @returns {Counts} each check is a test */
export function releaseCounts(output) {
  const [, passed, failed] = /^(\d+) checks passed, (\d+) failed, \d+ left out$/m.exec(output) ?? [];
  const leftOut = reasonsIn(output);
  const failures = [...output.matchAll(/^failed: (.+)$/gm)].map(([, text = '']) => text);
  return { passed: Number(passed), failed: Number(failed), skipped: leftOut.length, leftOut, failures };
}

/** @param {string} text with XML's predefined entities */
function unescaped(text) {
  const entities = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&#10;': '\n', '&amp;': '&' };
  return text.replace(/&(?:lt|gt|quot|apos|#10|amp);/g, (entity) => entities[/** @type {'&lt;'} */ (entity)]);
}
