import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/**
 * plugins/* → plugin-sdk ← core, and a plugin reaches another only through `@mortise/<name>/api`
 * (docs/decisions/0001; design of the house, section 1).
 */
const onlyContracts = {
  'no-restricted-imports': [
    'error',
    {
      patterns: [
        {
          regex: '^@mortise/(?!plugin-sdk(/testing)?$)[^/]+(?!/api)(/(?!api$).*)?$',
          message: 'A plugin imports only the SDK and the /api of other plugins.',
        },
        { regex: '^(\\.\\./)+(core|plugin-sdk|plugins)/', message: 'Import packages by name.' },
      ],
    },
  ],
};

const kernelAlone = {
  'no-restricted-imports': [
    'error',
    {
      patterns: [
        {
          regex: '^@mortise/(?!plugin-sdk(/host|/testing)?$|migrations$)',
          message: 'The kernel imports no plugin.',
        },
      ],
    },
  ],
};

const sdkAlone = {
  'no-restricted-imports': [
    'error',
    { patterns: [{ regex: '^@mortise/', message: 'The SDK imports nothing of the project.' }] },
  ],
};

/** Folded into one file each (docs/decisions/0012): whoever imports them elsewhere loads them twice. */
const foldedLibraries = {
  '@typescript-eslint/no-restricted-imports': [
    'error',
    {
      patterns: [
        {
          regex: '^(knex|objection)(/|$)',
          allowTypeImports: true,
          message: 'Take Model from the SDK; in the kernel, knex from database/knex.ts.',
        },
      ],
    },
  ],
};

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', 'data/**', 'test/fixtures/**', '**/*.d.ts'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    languageOptions: {
      globals: Object.fromEntries(
        'process console Buffer URL URLSearchParams setTimeout clearTimeout setInterval clearInterval setImmediate fetch AbortController AbortSignal TextEncoder TextDecoder structuredClone performance document window navigator location history localStorage customElements HTMLElement Headers'
          .split(' ')
          .map((name) => [name, 'readonly']),
      ),
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
      ],
      'no-control-regex': 'off',
    },
  },
  { files: ['**/*.cjs'], languageOptions: { globals: { module: 'writable' } } },
  { files: ['plugins/**/*.ts', 'plugins/**/*.tsx'], rules: onlyContracts },
  { files: ['core/src/**/*.ts', 'core/src/**/*.tsx'], rules: kernelAlone },
  {
    files: ['{core,plugin-sdk}/src/**/*.ts', 'plugins/**/*.ts', 'plugins/**/*.tsx'],
    ignores: ['core/src/database/knex.ts', 'plugin-sdk/src/objection.ts'],
    rules: foldedLibraries,
  },
  {
    files: ['plugin-sdk/src/**/*.ts', 'plugin-sdk/src/**/*.tsx'],
    ignores: ['plugin-sdk/src/testing/**'],
    rules: sdkAlone,
  },
);
