#!/usr/bin/env node
// `npm run build`: compiles everything that changed and lays assets beside the compiled files.
//
//   node core/bin/build.mjs            all
//   node core/bin/build.mjs --assets   only the assets
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { goEnvironment } from './go-environment.mjs';
import { tsc } from './compiler.mjs';
import { makePluginScript } from './plugin-scripts.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const assetEndings = new Set(['.css', '.svg', '.png', '.ico', '.woff2']);
const skipped = new Set(['dist', 'node_modules', 'test']);

/**
 * As many packages at once as there are cores. By itself the compiler takes four and checks each by four workers, which all
 * learn the same types of the libraries.
 */
function compile() {
  const args = ['-b', root, '--checkers', '1', '--builders', String(availableParallelism())];
  const env = { ...goEnvironment, ...process.env };
  const run = spawnSync(process.execPath, [tsc, ...args], { stdio: 'inherit', cwd: root, env });
  if (run.status !== 0) process.exit(run.status ?? 1);
}

/** Files with the endings above, anywhere in the package's sources. */
function* assetsBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* assetsBelow(path);
    else if (entry.isFile() && assetEndings.has(extname(entry.name))) yield path;
  }
}

function copyAssets(sources, dist) {
  if (!existsSync(sources)) return;
  for (const from of assetsBelow(sources)) {
    const to = join(dist, relative(sources, from));
    if (existsSync(to) && statSync(to).mtimeMs >= statSync(from).mtimeMs) continue;
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
  }
}

/** Folders and files that package.json lists in `mortise.assets`. */
function copyListed(folder) {
  const { mortise } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const path of mortise?.assets ?? []) {
    cpSync(join(folder, path), join(folder, 'dist', path), { recursive: true });
  }
}

/**
 * One file out of the many of a package, because finding and loading each module takes a third of a millisecond of every
 * start. Other packages stay outside; what is imported later stays in files of its own. It is taken only while it is
 * newer than what was compiled (`core/bin/mortise.mjs`).
 */
async function bundle(dist, name, entry, compiled, plugins) {
  const made = join(dist, `${name}.js`);
  if (!existsSync(join(dist, entry)) || !existsSync(compiled)) return;
  if (timeOf(made) >= timeOf(compiled)) return;
  for (const old of readdirSync(dist)) if (/\.bundle\.js(\.map)?$/.test(old)) rmSync(join(dist, old));
  await build({
    entryPoints: { [name]: join(dist, entry) },
    outdir: dist,
    bundle: true,
    splitting: true,
    chunkNames: '[hash].bundle',
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    plugins,
    logLevel: 'warning',
  });
}

/** A script where that is possible (`core/src/plugins/scripts.ts`). */
async function bundlePlugin(dist, compiled) {
  const since = Math.max(timeOf(compiled), timeOf(join(root, 'core', 'bin', 'plugin-scripts.mjs')));
  if (['cjs', 'js'].some((ending) => timeOf(join(dist, `plugin.bundle.${ending}`)) >= since)) return;
  const files = await makePluginScript(dist);
  for (const { path, contents } of files) writeFileSync(path, contents);
  if (files.length === 0) await bundle(dist, 'plugin.bundle', 'plugin.js', compiled, [asModules(dist)]);
}

/** Modules keep the addresses that they have by themselves, and libraries that are bundled already stay files. */
const asModules = (dist) => ({
  name: 'as-modules',
  setup(build) {
    build.onResolve({ filter: /^\..*\b(knex|hapi|pino|semver|commander|code-cache)\.js$/ }, ({ path, resolveDir }) => ({
      path: `./${relative(dist, join(resolveDir, path)).replaceAll(sep, '/')}`,
      external: true,
    }));
    build.onLoad({ filter: /\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      // in templates of the command line it is text of the plugins that are made of them
      if (!path.startsWith(dist) || path.includes('/cli/templates/') || !text.includes('import.meta.url'))
        return undefined;
      const own = JSON.stringify(`./${relative(dist, path).replaceAll(sep, '/')}`);
      return { contents: text.replaceAll('import.meta.url', `new URL(${own}, import.meta.url).href`), loader: 'js' };
    });
  },
});

/** Drivers that knex would load if they were asked for: those which are installed are found when they are. */
const drivers = ['better-sqlite3', 'libsql', 'mariadb', 'mysql', 'mysql2', 'oracledb', 'pg', 'sqlite3', 'tedious'];

/**
 * One file out of the hundreds of a library, in place of the compiled module that only hands the library on: finding
 * and reading them is a tenth of every start. It is CommonJS, because of that node can keep what it compiled
 * (`core/src/cli/code-cache.ts`), and the module beside it requires it: what is imported node would first look through
 * for names. It is bundled anew when the compiler wrote the module anew (the first line tells), when packages were
 * installed since, and when what is left out changed; and replaced at once, so that a build that is killed leaves no half.
 */
async function bundleLibrary(library, folder, path, { sources = 'src', keepNames = true, names, whole, text }) {
  const source = join(root, folder, sources, `${path}.ts`);
  const module = join(root, folder, 'dist', `${path}.js`);
  const made = join(root, folder, 'dist', `${path}.cjs`);
  const title = `// ${library} in one file\n`;
  const hands = `${title}import { createRequire } from 'node:module';
export const ${whole ?? `{ ${names.join(', ')} }`} = createRequire(import.meta.url)('./${basename(made)}');
`;
  const since = Math.max(...[join(root, 'node_modules', '.package-lock.json'), ...bundledBy].map(timeOf));
  const isBundled = () => readFileSync(made, 'utf8').startsWith(title) && readFileSync(module, 'utf8') === hands;
  if (timeOf(made) > since && isBundled()) return;
  const { metafile } = await build({
    ...(text ? { stdin: { contents: text, resolveDir: dirname(source) } } : { entryPoints: [source] }),
    outfile: `${made}.new`,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: drivers.flatMap((name) => [name, `${name}/*`]),
    keepNames,
    legalComments: 'none',
    metafile: true,
    banner: { js: title.trimEnd() },
    logLevel: 'warning',
  });
  writeFileSync(`${made}.LICENSES.txt`, licences(Object.keys(metafile.inputs)));
  rmSync(`${module}.map`, { force: true });
  renameSync(`${made}.new`, made);
  writeFileSync(`${module}.new`, hands);
  renameSync(`${module}.new`, module);
}

const bundledBy = ['build.mjs'].map((name) => join(root, 'core', 'bin', name));
const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** What the licences of the packages of these files ask for where their code is copied. */
function licences(files) {
  const packages = new Set();
  for (const file of files) {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
    if (folder) packages.add(folder);
  }
  const texts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`;
  });
  return texts.join('\n----\n\n');
}

if (!process.argv.includes('--assets')) {
  compile();
  await bundleLibrary('objection', 'plugin-sdk', 'objection', { names: ['Model'] });
  // as it is, because plugins from outside get the same one (`core/src/plugins/resolve-rules.ts`), imported or required:
  // a schema must not be made of two copies
  const joi = "module.exports = require('joi');";
  await bundleLibrary('joi', 'plugin-sdk', 'joi', { keepNames: false, whole: 'Joi', text: joi });
  await bundleLibrary('@hapi/hapi', 'core', 'http/hapi', { keepNames: false, names: ['server'] });
  await bundleLibrary('intl-messageformat', 'plugin-sdk', 'message-format', { names: ['IntlMessageFormat'] });
  const knex = ['knexModule', 'Client', 'SqliteQueryCompiler', 'Runner', 'MysqlClient'];
  await bundleLibrary('knex', 'core', 'database/knex', { names: knex });
  await bundleLibrary('pino', 'core', 'telemetry/pino', { keepNames: false, names: ['pino'] });
  const semver = ['gt', 'lt', 'satisfies', 'valid', 'validRange'];
  await bundleLibrary('semver', 'core', 'plugins/semver', { keepNames: false, names: semver });
  await bundleLibrary('commander', 'core', 'cli/commander', { keepNames: false, names: ['Command'] });
  const dist = join(root, 'core', 'dist');
  await bundle(dist, 'mortise.bundle', 'cli/index.js', join(root, 'core', 'tsconfig.tsbuildinfo'), [asModules(dist)]);
  await bundleLibrary('gemoji', 'plugins/markup', 'data/emoji', { sources: '.', names: ['nameToEmoji'] });
  // two hundred files, which each thread that draws would find and read
  await bundleLibrary('highlight.js', 'plugins/markup', 'data/highlighter', { sources: '.', names: ['highlighting'] });
  await bundleLibrary('linguist-languages', 'plugins/git', 'data/languages', {
    sources: '.',
    names: ['knownLanguages'],
  });
  const versions = { sources: '.', keepNames: false, names: ['parse', 'validRange'] };
  await bundleLibrary('semver', 'plugins/package-npm', 'semver', versions);
}
copyAssets(join(root, 'core', 'src'), join(root, 'core', 'dist'));
for (const name of readdirSync(join(root, 'plugins'))) {
  const folder = join(root, 'plugins', name);
  if (!existsSync(join(folder, 'package.json'))) continue;
  copyAssets(folder, join(folder, 'dist'));
  copyListed(folder);
  const dist = join(folder, 'dist');
  if (!process.argv.includes('--assets')) await bundlePlugin(dist, join(dist, 'tsconfig.tsbuildinfo'));
}
// start.mjs compares the sources with the time of this file.
if (!process.argv.includes('--assets')) writeFileSync(join(root, 'core', 'dist', '.built'), '');
