import js from '@eslint/js';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/** Imports point one way: player → voxel-loader → (manifest, repair); player → abr-star → manifest. */
const importZones = [
  { target: './src/manifest', from: ['./src', './player', './demo'], except: ['./manifest'] },
  { target: './src/repair', from: ['./src', './player', './demo'], except: ['./repair'] },
  { target: './src/abr-star', from: ['./src', './player', './demo'], except: ['./abr-star', './manifest'] },
  {
    target: './src/voxel-loader',
    from: ['./src', './player', './demo'],
    except: ['./voxel-loader', './manifest', './repair'],
  },
  { target: './src/abr-star/star', from: './src/abr-star/rivals' },
  { target: './src/abr-star/rivals', from: './src/abr-star/star' },
  {
    target: './src/delivery',
    from: ['./src', './player', './demo'],
    except: ['./delivery', './manifest', './abr-star'],
  },
  { target: './player', from: './demo' },
].flatMap(({ target, from, except }) =>
  [from].flat().map((folder) => ({ target, from: folder, except: folder === './src' ? except : undefined })),
);

export default tseslint.config(
  { ignores: ['dist/', 'docs/api/', 'node_modules/', '.venv/', 'output/', '**/*.mjs'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    files: ['**/*.ts'],
    plugins: { 'import-x': importX },
    languageOptions: {
      parserOptions: { project: ['./tsconfig.json', './tsconfig.node.json'], tsconfigRootDir: import.meta.dirname },
    },
    settings: {
      'import-x/resolver-next': [
        createTypeScriptImportResolver({
          project: ['./tsconfig.json', './tsconfig.node.json'],
          noWarnOnMultipleProjects: true,
        }),
      ],
    },
    rules: {
      'import-x/no-cycle': 'error',
      'import-x/no-restricted-paths': ['error', { zones: importZones }],
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
    languageOptions: { globals: { document: 'readonly' } },
  },
  {
    files: ['**/*.test.ts'],
    rules: { '@typescript-eslint/no-empty-function': 'off' },
  },
);
