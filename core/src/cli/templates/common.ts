import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sdkVersion } from '@mortise/plugin-sdk';

export interface Skeleton {
  readonly kind: 'package-format' | 'webhook-kind' | 'auth-method' | 'plugin';
  /** Key of the format, kind or method; the bare name. */
  readonly key: string;
  /** Name of the plugin with its family: `package-toys`. */
  readonly plugin: string;
  /** For identifiers: `Toys`. */
  readonly className: string;
}

/** The plugins whose contracts a skeleton uses. */
const contracts: Record<Skeleton['kind'], readonly string[]> = {
  'package-format': ['packages'],
  'webhook-kind': ['webhooks'],
  'auth-method': ['accounts'],
  plugin: ['accounts'],
};

const home = dirname(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))));
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

function versionOf(plugin: string): string {
  try {
    return (JSON.parse(readFileSync(join(home, 'plugins', plugin, 'package.json'), 'utf8')) as { version: string })
      .version;
  } catch {
    return '1.0.0';
  }
}

/** Files that every skeleton has. */
export function commonFiles({ kind, plugin }: Skeleton): Record<string, string> {
  const used = contracts[kind];
  const peers = {
    '@mortise/plugin-sdk': `^${sdkVersion}`,
    ...Object.fromEntries(used.map((name) => [`@mortise/${name}`, `^${versionOf(name)}`])),
  };
  const links = {
    '@mortise/core': `file:${join(home, 'core')}`,
    '@mortise/plugin-sdk': `file:${join(home, 'plugin-sdk')}`,
    ...Object.fromEntries(used.map((name) => [`@mortise/${name}`, `file:${join(home, 'plugins', name)}`])),
  };
  return {
    'package.json': json({
      name: `mortise-plugin-${plugin}`,
      version: '0.1.0',
      description: `${plugin} for Mortise`,
      license: 'MIT',
      type: 'module',
      exports: { './plugin': { types: './dist/plugin.d.ts', default: './dist/plugin.js' } },
      files: ['dist', 'README.md'],
      mortise: { plugin: './dist/plugin.js' },
      scripts: { build: 'tsc', test: 'tsc && lab --leaks --timeout 60000 dist/test/*.test.js' },
      peerDependencies: peers,
      devDependencies: {
        '@hapi/code': '^9.0.3',
        '@hapi/lab': '^26.0.1',
        ...links,
        '@types/node': '^20.19.0',
        typescript: '^5.9.3',
      },
    }),
    'tsconfig.json': json({
      compilerOptions: {
        target: 'ES2023',
        lib: ['ES2023'],
        module: 'NodeNext',
        moduleResolution: 'NodeNext',
        strict: true,
        noUncheckedIndexedAccess: true,
        declaration: true,
        skipLibCheck: true,
        esModuleInterop: true,
        jsx: 'react-jsx',
        jsxImportSource: 'preact',
        types: ['node'],
        rootDir: '.',
        outDir: 'dist',
      },
      include: ['*.ts', '*.tsx', 'routes', 'services', 'migrations', 'test'],
    }),
    '.gitignore': 'node_modules/\ndist/\n',
    'CHANGELOG.md': '# Changelog\n\n## 0.1.0\n\nThe beginning.\n',
  };
}

/** The end of every README. */
export const readmeEnd = (plugin: string): string => `
## Work on it

\`\`\`
npm install
npm test          # compiles, then starts a real host with this plugin on a fresh database
\`\`\`

The development dependencies \`@mortise/*\` are links into the Mortise that wrote this skeleton.

## Load it

Build it, then name its folder in the settings of Mortise, and restart:

\`\`\`ini
[plugins]
PATHS = /path/to/mortise-plugin-${plugin}
\`\`\`

Or publish it and install it beside Mortise: packages named \`mortise-plugin-*\` are found by themselves.
\`DISABLED = ${plugin}\` in the same section turns it off, and \`mortise plugins show ${plugin}\` lists what it adds.
`;
