import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseOptions as parseTrialsOptions } from '../../lab/trials/options.js';
import { parseOptions as parseSimulateOptions } from '../../lab/sim/options.js';
import { parseBundleOptions } from '../../lab/sim/bundle/options.js';
import { parseFlowsOptions } from '../../lab/sim/flows/options.js';
import { parsePageOptions } from '../../lab/sim/page/options.js';
import { root } from '../../tools/setup/paths.mjs';
import { parseOptions as parseStartOptions } from '../../tools/start/options.mjs';

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const textOf = (document: string) => readFileSync(join(root, document), 'utf8');
const withoutCode = (text: string) => text.replaceAll(/^```[^]*?^```/gm, '').replaceAll(/`[^`]*`/g, '');

/** The anchors of a document's headings, as Git hosts make them. */
function anchorsOf(document: string): string[] {
  const headings = [
    ...textOf(document)
      .replaceAll(/^```[^]*?^```/gm, '')
      .matchAll(/^#+ (.*)$/gm),
  ];
  return headings.map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

test.each(documents)('the links of %s lead somewhere', (document) => {
  const links = [...withoutCode(textOf(document)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  const broken = links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path, anchor] = link.split('#') as [string, string | undefined];
    const target = path === '' ? document : join(dirname(document), path);
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
  expect(broken).toEqual([]);
});

/** Lines of prose that are longer than 160 characters: tables, code, headings and comments may be. */
function longLines(text: string): string[] {
  return text
    .replaceAll(/^ *```[^]*?^ *```/gm, '')
    .split('\n')
    .filter((line) => line.length > 160 && !/^\s*(\||#|<!--)/.test(line));
}

test.each(documents)('%s has no line of prose that is longer than 160 characters', (document) => {
  expect(longLines(textOf(document))).toEqual([]);
});

test('RESULTS has headlines only: 300 lines at most', () => {
  expect(textOf('docs/RESULTS.md').split('\n').length).toBeLessThanOrEqual(300);
});

test('a long line of prose is found, and none in a table or in code', () => {
  const words = 'word '.repeat(40);
  expect(longLines(`# T\n\n${words}\n\n| ${words} |\n\n\`\`\`sh\n${words}\n\`\`\`\n- ${words}`)).toHaveLength(2);
});

/** Paths of files and folders of the repository that stand in `code` in a document; patterns and what has capitals in place of a name are none. */
function namedPaths(text: string): string[] {
  const folders = 'src|player|lab|test|tools|server|manifests|demo|docs|examples|packages|deploy|requirements|findings';
  const named = text.replaceAll(/^```[^]*?^```/gm, '').matchAll(new RegExp(`\`((?:${folders})/[\\w./-]+)\``, 'g'));
  return [...named].map(([, path]) => path!).filter((path) => !/\b[A-Z]{4,}\b(?!\.md)/.test(path));
}

/** Where files are named that are there no more, and those that the reader is to write. */
const OTHER_FILES = /^CHANGELOG\.md$|^docs\/tutorials\//;

test.each(documents.filter((document) => !OTHER_FILES.test(document)))(
  'the files that %s names are there',
  (document) => {
    const folder = dirname(document);
    const ofTables = [...textOf(document).matchAll(/^\| `([\w./-]+\.(?:ts|py|rs))` +\|/gm)].map(([, file]) => file!);
    const missing = [...namedPaths(textOf(document)), ...ofTables].filter(
      (path) => !existsSync(join(root, path)) && !existsSync(join(root, folder, path)),
    );
    expect(missing).toEqual([]);
  },
);

/** Tutorials have rules and configurations of their reader's, and `test/tutorials` types them. */
const commanding = documents.filter((document) => !document.startsWith('docs/tutorials/'));

/** The command lines in the documents that begin with `start`, without their comments: the words after it. */
function commandsWith(start: string): [document: string, ...words: string[]][] {
  return commanding.flatMap((document) =>
    [...textOf(document).matchAll(/^```(\w*)[^\n]*\n([^]*?)^```/gm)]
      .flatMap(([, language, code]) => (['', 'sh'].includes(language!) ? code!.split('\n') : []))
      .map((line) => line.replace(/\s+#.*$/, '').trim())
      .filter((line) => line === start || line.startsWith(`${start} `))
      .map((line): [string, ...string[]] => [
        document,
        ...line
          .slice(start.length)
          .split(' ')
          .filter((word) => word && word !== '--'),
      ]),
  );
}

const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };

describe('the documents', () => {
  test('name options that `npm start` has', () => {
    const commands = commandsWith('npm start');
    expect(commands.length).toBeGreaterThan(4);
    for (const [, ...words] of commands) parseStartOptions(words);
  });

  test('name options that the simulator has', () => {
    for (const [, ...words] of commandsWith('npm run simulate')) {
      if (words[0] === 'page') parsePageOptions(words.slice(1));
      else if (words[0] === 'bundle') parseBundleOptions(words.slice(1));
      else if (words[0] === 'flows') parseFlowsOptions(words.slice(1));
      else parseSimulateOptions(words);
    }
  });

  test('name options and configurations that the trials have', () => {
    const commands = commandsWith('npm run trials');
    expect(commands.length).toBeGreaterThan(2);
    for (const [, ...words] of commands) {
      const config = parseTrialsOptions(words)?.config;
      if (config !== undefined) expect(existsSync(join(root, config)), config).toBe(true);
    }
  });

  test('name benches that there are', () => {
    for (const [document, name] of commandsWith('npm run bench')) {
      const isThere = ['ts', 'mjs'].some((ending) => existsSync(join(root, `lab/bench/${name}.${ending}`)));
      expect(isThere || name === '--help', `${document}: ${name}`).toBe(true);
    }
  });

  test('name the default that the rule has', () => {
    const constant = (path: string, pattern: RegExp) => pattern.exec(readFileSync(join(root, path), 'utf8'))?.[1];
    const used = constant('src/abr-star/star/constants.ts', /bandwidthSafety: ([\d.]+)/);
    expect(used).toBeDefined();
    expect(constant('player/api/types.ts', /Default ([\d.]+)\. \*\/\n {2}readonly bandwidthSafety/)).toBe(used);
    expect(constant('docs/ABR.md', /`bandwidthSafety` \| ([\d.]+) +\| share of the throughput that plans/)).toBe(used);
  });

  test('name npm scripts that there are', () => {
    const names = documents.flatMap((document) =>
      [...textOf(document).matchAll(/npm run ([a-z]+)/g)].map(([, name]) => name!),
    );
    // Those of the examples.
    const examples = ['dev', 'preview'];
    expect([...new Set(names)].filter((name) => !(name in scripts) && !examples.includes(name))).toEqual([]);
  });
});

describe('the findings', () => {
  const scripts = execFileSync('git', ['ls-files', 'findings/*.sh'], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((file) => dirname(file) === 'findings');

  test.each(scripts)('%s says what surprises, what was guessed, what was seen, and is in the list', (file) => {
    const comment = textOf(file).split('\n. "')[0]!;
    expect(comment).toMatch(/^#!\/bin\/bash\n# \S.*\.\n#\n# Guess: [^]*\n# Seen \([^]*\n# Matters /);
    expect(textOf('findings/README.md')).toContain(`(${basename(file)})`);
  });
});
