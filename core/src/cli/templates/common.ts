import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sdkVersion } from '@mortise/plugin-sdk';
import { workspaceRoot } from '../../compose.js';

export interface Skeleton {
  readonly kind: 'package-format' | 'webhook-kind' | 'auth-method' | 'plugin';
  /** Key of the format, kind or method; the bare name. */
  readonly key: string;
  /** Name of the plugin with its family: `package-toys`. */
  readonly plugin: string;
  /** For identifiers: `Toys`. */
  readonly className: string;
  /** It lies in `plugins/` of a checkout, and is built together with what it uses. */
  readonly isInWorkspace: boolean;
}

/** The plugins whose contracts a skeleton uses. */
const contracts: Record<Skeleton['kind'], readonly string[]> = {
  'package-format': ['packages'],
  'webhook-kind': ['webhooks'],
  'auth-method': ['accounts'],
  plugin: ['accounts'],
};

const home = workspaceRoot();
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

function versionOf(plugin: string): string {
  try {
    const folder = existsSync(join(home, 'plugins', plugin)) ? join(home, 'plugins', plugin) : join(home, plugin);
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
  } catch {
    return '1.0.0';
  }
}

const folders = { rootDir: '.', outDir: 'dist' };
const ownOptions = {
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
};
const workspaceOptions = (used: readonly string[]) => ({
  extends: '../../tsconfig.base.json',
  compilerOptions: folders,
  references: ['../../plugin-sdk', ...used.map((name) => `../${name}`)].map((path) => ({ path })),
});

/** Files that every skeleton has. */
export function commonFiles({ kind, plugin, isInWorkspace }: Skeleton): Record<string, string> {
  const used = contracts[kind];
  const peers = {
    '@mortise/plugin-sdk': `^${sdkVersion}`,
    ...Object.fromEntries(used.map((name) => [`@mortise/${name}`, `^${versionOf(name)}`])),
  };
  return {
    'package.json': json({
      name: `mortise-plugin-${plugin}`,
      version: '0.1.0',
      description: `${plugin} for Mortise`,
      license: 'MIT',
      type: 'module',
      exports: {
        './plugin': { types: './dist/plugin.d.ts', default: './dist/plugin.js' },
        // what other plugins may import
        ...(kind === 'plugin' && { './api': { types: './dist/api.d.ts', default: './dist/api.js' } }),
      },
      files: ['dist', '!dist/test', 'README.md', 'CHANGELOG.md'],
      keywords: ['mortise-plugin'],
      mortise: { plugin: './dist/plugin.js', capabilities: kind === 'plugin' ? ['database'] : [] },
      scripts: {
        prepare: 'node link.mjs',
        build: 'tsc',
        test: 'tsc && lab --leaks --timeout 60000 dist/test/*.test.js',
      },
      peerDependencies: peers,
      devDependencies: {
        '@hapi/code': '^9.0.3',
        '@hapi/lab': '^26.0.1',
        '@types/node': '^20.19.0',
        typescript: '^7.0.2',
      },
    }),
    'tsconfig.json': json({
      ...(isInWorkspace ? workspaceOptions(used) : { compilerOptions: { ...ownOptions, ...folders } }),
      include: ['**/*.ts', '**/*.tsx'],
      exclude: ['dist', 'node_modules'],
    }),
    // What Mortise gives its plugins is on no package registry: npm must not look for it there.
    '.npmrc': 'legacy-peer-deps=true\n',
    '.mortise-home': `${home}\n`,
    'link.mjs': linkScript,
    '.gitignore': 'node_modules/\ndist/\n.mortise-home\n',
    'CHANGELOG.md': '# Changelog\n\n## 0.1.0\n\nThe beginning.\n',
  };
}

/** Lays what the host gives to plugins beside the sources, for the compiler and the tests. */
const linkScript = `// Links the SDK, the contracts of plugins and preact of a Mortise into node_modules, for the compiler and the tests.
// Which Mortise: the folder that MORTISE_HOME names (a checkout that is built, or node_modules/@mortise of an
// installation), else the one that the file .mortise-home names. npm runs this after every install.
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const home =
  process.env.MORTISE_HOME ?? (existsSync('.mortise-home') ? readFileSync('.mortise-home', 'utf8').trim() : '');
if (!home || !existsSync(join(home, 'plugin-sdk/dist'))) {
  console.log('No Mortise to build against: set MORTISE_HOME to the folder of one that is built, and run: node link.mjs');
  process.exit(0);
}
const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const names = ['@mortise/core', ...Object.keys(peerDependencies)].filter((name) => name.startsWith('@mortise/'));
const folderOf = (name) => [join(home, 'plugins', name), join(home, name)].find((folder) => existsSync(folder));
const links = names.map((name) => [name, folderOf(name.replace('@mortise/', ''))]);
const host = createRequire(join(home, 'core/package.json'));
links.push(['preact', dirname(host.resolve('preact/package.json'))]);
for (const [name, folder] of links) {
  if (!folder) {
    console.log(\`\${home} holds no \${name}\`);
    continue;
  }
  const link = join('node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link, { recursive: true });
  symlinkSync(folder, link, 'junction');
}
`;

/** The end of every README. */
export const readmeEnd = (plugin: string): string => `
## Work on it

\`\`\`
npm install
npm test          # compiles, then starts a real host with this plugin on a fresh database
\`\`\`

The SDK and the contracts of other plugins come from a Mortise on this machine: \`npm install\` links those of the Mortise
that wrote this folder; in a clone, set \`MORTISE_HOME\` to the folder of a Mortise that is built before \`npm install\`.

While you work, \`mortise dev .\` compiles, serves with this plugin, and loads open pages again whenever you save.

## Load it

\`\`\`
npm run build && npm pack
mortise plugins add ./mortise-plugin-${plugin}-0.1.0.tgz
\`\`\`

adds it to the work folder of a server, once that is restarted; \`mortise plugins add mortise-plugin-${plugin}\` does the
same from the package registry. While it grows, its folder can be named in the settings instead:

\`\`\`ini
[plugins]
PATHS = /path/to/mortise-plugin-${plugin}
\`\`\`

\`DISABLED = ${plugin}\` in the same section turns it off, and \`mortise plugins info ${plugin}\` lists what it adds.
`;
