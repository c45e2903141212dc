// @ts-check
import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

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
    languageOptions: {
      parserOptions: { project: ['./tsconfig.json', './tsconfig.node.json'], tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
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
