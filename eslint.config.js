import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { literalText } from './test/lint/literal-text.mjs';

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
          regex:
            '^@mortise/(?!plugin-sdk(/testing|/client|/threads)?$|[^/]+/(api|testing)$|actions/(workflow|zip)$|actions-runner-protocol/schema$)',
          message:
            'A plugin imports only the SDK, the /api of other plugins and, in tests, their /testing; libraries of actions that need no server are free.',
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
          regex: '^@mortise/(?!plugin-sdk(/host|/testing|/client|/joi|/threads)?$|migrations$)',
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

/** Bundled into one file each (docs/decisions/0012): whoever imports them elsewhere loads them twice. */
const bundledLibraries = {
  '@typescript-eslint/no-restricted-imports': [
    'error',
    {
      patterns: [
        {
          regex: '^(knex|objection|joi|@hapi/hapi)(/|$)',
          allowTypeImports: true,
          message:
            'Take Model and Joi from the SDK; in the kernel, knex from database/knex.ts and hapi from http/hapi.ts.',
        },
      ],
    },
  ],
};

/** What a request's context makes when it is asked for, such as the token of forms, does not come along with a spread. */
const wholeContexts = {
  'no-restricted-syntax': [
    'error',
    {
      selector:
        'ObjectExpression:has(> SpreadElement[argument.name=/^(context|found|route)$/]):has(> Property[key.name=/^(query|payload|page)$/])',
      message: 'Change the context of a request with contextWith.',
    },
  ],
};

/**
 * Where texts come from catalogues (docs/translating.md): pages and routes of every plugin, without exception.
 */
const translated = [
  'core/src/{web,api-docs}/**/*.tsx',
  'plugin-sdk/src/*.tsx',
  'plugins/*/{pages,routes}/**/*.{ts,tsx}',
];

export default tseslint.config(
  // what a generator writes is its own business: mended there, or in what it reads
  { ignores: ['**/dist/**', '**/generated/**', '**/node_modules/**', 'data/**', 'test/fixtures/**', '**/*.d.ts'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    languageOptions: {
      globals: Object.fromEntries(
        'process console Buffer URL URLSearchParams setTimeout clearTimeout setInterval clearInterval setImmediate fetch AbortController AbortSignal TextEncoder TextDecoder structuredClone performance document window navigator location history localStorage customElements HTMLElement Headers FormData Blob'
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
    ignores: ['core/src/{database/knex,http/hapi}.ts', 'plugin-sdk/src/{objection,joi}.ts'],
    rules: bundledLibraries,
  },
  {
    files: ['plugin-sdk/src/**/*.ts', 'plugin-sdk/src/**/*.tsx'],
    ignores: ['plugin-sdk/src/testing/**'],
    rules: sdkAlone,
  },
  {
    files: ['plugins/*/{pages,routes}/**/*.{ts,tsx}'],
    rules: wholeContexts,
  },
  {
    files: translated,
    plugins: { mortise: { rules: { 'literal-text': literalText } } },
    rules: { 'mortise/literal-text': 'error' },
  },
);
