// @ts-check
import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/**
 * What each folder may import besides itself: arrows point one way.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const ARROWS = {
  'src/manifest': [],
  'src/repair': [],
  'src/abr-star': ['src/manifest'],
  'src/coding': [],
  'src/delivery': ['src/manifest', 'src/abr-star', 'src/coding'],
  'src/voxel-loader': ['src/manifest', 'src/repair', 'src/delivery', 'src/coding'],
  player: ['src/manifest', 'src/abr-star', 'src/delivery', 'src/voxel-loader'],
};

const folders = [...Object.keys(ARROWS), 'demo'];

/** @param {string} target @param {string} from */
const zone = (target, from) => ({ target: `./${target}`, from: `./${from}` });

const importZones = [
  ...Object.entries(ARROWS).flatMap(([target, allowed]) =>
    folders.filter((from) => from !== target && !allowed.includes(from)).map((from) => zone(target, from)),
  ),
  zone('src/abr-star/star', 'src/abr-star/rivals'),
  zone('src/abr-star/rivals', 'src/abr-star/star'),
  ...['star', 'rivals'].flatMap((other) => [
    zone('src/abr-star/live', `src/abr-star/${other}`),
    zone(`src/abr-star/${other}`, 'src/abr-star/live'),
  ]),
  // The commands set up and start things; what measures and tests builds on them.
  zone('tools', 'test'),
  zone('tools', 'lab'),
];

/** What is shipped does without tools, tests and laboratory, and its page's part without what runs in the worker; the full build has both. */
const shippedZones = [
  ...['src', 'player', 'demo'].flatMap((target) => ['tools', 'test', 'lab'].map((from) => zone(target, from))),
  // Each player has a folder that knows it, and no other does.
  zone('player/segments', 'player/dash'),
  zone('player/segments', 'player/hls'),
  zone('player/hls', 'player/dash'),
  zone('player/dash', 'player/hls'),
  {
    target: [
      './src/voxel-loader/!(*.test).ts',
      './player/**/!(full|*.test).ts',
      './demo/!(*.test).ts',
      // The comparison takes segments apart to show single frames.
      './demo/compare/**/!(pictures|*.test).ts',
    ],
    from: ['./src/repair', './src/voxel-loader/worker'],
  },
];

/** @param {object[]} zones @returns {{ 'import-x/no-restricted-paths': ['error', object] }} */
const importRule = (zones) => ({ 'import-x/no-restricted-paths': ['error', { zones }] });

/** What the pages of `examples/` use of the browser. */
const PAGE_GLOBALS = [
  ...['document', 'fetch', 'performance', 'setTimeout', 'DOMParser', 'FormData', 'URL'],
  ...['EncodedVideoChunk', 'VideoDecoder'],
];

export default defineConfig(
  { ignores: ['dist/', 'docs/api/', 'node_modules/', '.venv/', 'output/', '**/target/'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    files: ['**/*.{ts,mjs}'],
    plugins: { 'import-x': importX },
    languageOptions: {
      parserOptions: { project: ['./tsconfig.json', './tsconfig.node.json'], tsconfigRootDir: import.meta.dirname },
    },
    settings: {
      // Without these the rule against circles sees no imports at all.
      'import-x/extensions': ['.ts', '.mjs'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.mjs'] },
      'import-x/resolver-next': [
        createTypeScriptImportResolver({
          project: ['./tsconfig.json', './tsconfig.node.json'],
          noWarnOnMultipleProjects: true,
        }),
      ],
    },
    rules: {
      'import-x/no-cycle': 'error',
      ...importRule(importZones),
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    // As a newcomer copies them: plain JavaScript, without types.
    files: ['examples/**/*.{js,jsx}'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: Object.fromEntries(PAGE_GLOBALS.map((name) => [name, 'readonly'])) },
  },
  {
    // Goes to the site as it is.
    files: ['tools/site/theme/**/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      globals: Object.fromEntries(
        ['document', 'location', 'localStorage', 'matchMedia', 'getComputedStyle', 'URL'].map((name) => [
          name,
          'readonly',
        ]),
      ),
    },
  },
  {
    files: ['{src,player,demo}/**/*.ts'],
    ignores: ['**/*.test.ts', '**/testing/**', '**/testing.ts'],
    rules: importRule([...importZones, ...shippedZones]),
  },
  {
    // The type checker knows Node's globals; the rules do not see the casts of JSDoc (`JSON.parse`).
    files: ['**/*.mjs'],
    rules: {
      'no-undef': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['**/*.test.ts'],
    rules: { '@typescript-eslint/no-empty-function': 'off' },
  },
);
