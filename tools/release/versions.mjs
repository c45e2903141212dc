// @ts-check
// Where the version of the packages stands in files of the repository: all of them must have the same.
import { basename } from 'node:path';

/** The programs and libraries of this repository, as lock files and dependencies name them. */
const OURS = '(?:voxel-[a-z]+|linkemu)';

/**
 * Each pattern finds a version as its last group, after a first group that is everything before it. By the names of files.
 * @type {Readonly<Record<string, readonly RegExp[]>>}
 */
const PATTERNS = {
  'package.json': [/^( {2}"version": ")([^"]+)/gm, /^( {4}"voxel-(?:dash|repair)": ")([^"]+)/gm],
  'package-lock.json': [/^( {2}"version": ")([^"]+)/gm, /("": \{\s+"name": "voxel-dash",\s+"version": ")([^"]+)/g],
  'pyproject.toml': [/^(version = ")([^"]+)/gm],
  'Cargo.toml': [/^(version = ")([^"]+)/gm, RegExp(`^(${OURS} = \\{.*version = ")([^"]+)`, 'gm')],
  'Cargo.lock': [RegExp(`^(name = "${OURS}"\nversion = ")([^"]+)`, 'gm')],
  // The file that `npm pack` writes.
  'README.md': [/(\bvoxel-(?:dash|repair|lab)-)(\d+\.\d+\.\d+)(?=\.tgz)/g],
};

/** Files that may have our version in them, as patterns of `git ls-files`. */
export const FILES_WITH_VERSIONS = Object.keys(PATTERNS).flatMap((name) => [name, `**/${name}`]);

/** @typedef {{ file: string, line: number, version: string }} Version */

/** @param {string} file @param {string} text @returns {Version[]} */
export function versionsIn(file, text) {
  return patternsOf(file)
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map((match) => {
      const [, before = '', version = ''] = match;
      return { file, version, line: text.slice(0, match.index + before.length).split('\n').length };
    })
    .sort((left, right) => left.line - right.line);
}

/** @param {string} file @param {string} text @param {string} version @returns the text with that version wherever one of ours stands */
export function withVersion(file, text, version) {
  return patternsOf(file).reduce((result, pattern) => result.replaceAll(pattern, `$1${version}`), text);
}

/** @param {readonly Version[]} versions @param {string} expected @returns {string[]} a line for each that is another */
export function versionProblems(versions, expected) {
  return versions
    .filter(({ version }) => version !== expected)
    .map(({ file, line, version }) => `${file}:${line} has version ${version}, package.json has ${expected}`);
}

/** @param {string} file */
function patternsOf(file) {
  return PATTERNS[basename(file)] ?? [];
}
