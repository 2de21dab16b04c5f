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
import { dirname, extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { tsc } from './compiler.mjs';
import { patchLibraries } from './patches.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const assetEndings = new Set(['.css', '.svg', '.png', '.ico', '.woff2']);
const skipped = new Set(['dist', 'node_modules', 'test']);

function compile() {
  const run = spawnSync(process.execPath, [tsc, '-b', root], { stdio: 'inherit', cwd: root });
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
 * newer than what was compiled (`core/src/plugins/load.ts`, `core/bin/mortise.mjs`).
 */
async function bundle(dist, name, entry, compiled, plugins = []) {
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
    keepNames: true,
    plugins,
    logLevel: 'warning',
  });
}

/** Modules keep the addresses that they have by themselves, and libraries that are bundled already stay files. */
const asModules = (dist) => ({
  name: 'as-modules',
  setup(build) {
    build.onResolve({ filter: /^\..*\b(knex|hapi|pino|semver|commander)\.js$/ }, ({ path, resolveDir }) => ({
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
 * and reading them is a tenth of every start. It is bundled anew when the compiler wrote the module anew (the first line
 * tells) and when packages were installed since, and replaced at once, so that a build that is killed leaves no half.
 */
async function bundleLibrary(library, folder, path, { format = 'esm', sources = 'src', keepNames = true, text } = {}) {
  const source = join(root, folder, sources, `${path}.ts`);
  const made = join(root, folder, 'dist', `${path}.${format === 'esm' ? 'js' : 'cjs'}`);
  const title = `// ${library} in one file\n`;
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (timeOf(made) > timeOf(installed) && readFileSync(made, 'utf8').startsWith(title)) return;
  const { metafile } = await build({
    ...(text ? { stdin: { contents: text, resolveDir: dirname(source) } } : { entryPoints: [source] }),
    outfile: `${made}.new`,
    bundle: true,
    format,
    platform: 'node',
    target: 'node20',
    external: drivers.flatMap((name) => [name, `${name}/*`]),
    keepNames,
    legalComments: 'none',
    plugins: [patchLibraries],
    metafile: true,
    banner: {
      js:
        format === 'esm'
          ? `${title}import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);`
          : title.trimEnd(),
    },
    logLevel: 'warning',
  });
  writeFileSync(`${made}.LICENSES.txt`, licences(Object.keys(metafile.inputs)));
  rmSync(`${made}.map`, { force: true });
  renameSync(`${made}.new`, made);
}

const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Joi is CommonJS in its one file, because plugins from outside get the same one (`core/src/plugins/resolve-rules.ts`),
 * imported or required: a schema must not be made of two copies.
 */
async function bundleJoi() {
  await bundleLibrary('joi', 'plugin-sdk', 'joi', {
    format: 'cjs',
    keepNames: false,
    text: "module.exports = require('joi');",
  });
  const module = join(root, 'plugin-sdk', 'dist', 'joi.js');
  const text = "// joi in one file\nimport Joi from './joi.cjs';\nexport { Joi };\n";
  if (readFileSync(module, 'utf8') !== text) writeFileSync(module, text);
}

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
  await bundleLibrary('objection', 'plugin-sdk', 'objection');
  await bundleJoi();
  await bundleLibrary('@hapi/hapi', 'core', 'http/hapi', { keepNames: false });
  // CommonJS, so that it can be loaded late and synchronously
  await bundleLibrary('intl-messageformat', 'plugin-sdk', 'message-format', { format: 'cjs' });
  await bundleLibrary('knex', 'core', 'database/knex');
  await bundleLibrary('pino', 'core', 'telemetry/pino', { keepNames: false });
  await bundleLibrary('semver', 'core', 'plugins/semver', { keepNames: false });
  await bundleLibrary('commander', 'core', 'cli/commander', { keepNames: false });
  const dist = join(root, 'core', 'dist');
  await bundle(dist, 'mortise.bundle', 'cli/index.js', join(root, 'core', 'tsconfig.tsbuildinfo'), [asModules(dist)]);
  await bundleLibrary('gemoji', 'plugins/markup', 'data/emoji', { format: 'cjs', sources: '.' });
}
copyAssets(join(root, 'core', 'src'), join(root, 'core', 'dist'));
for (const name of readdirSync(join(root, 'plugins'))) {
  const folder = join(root, 'plugins', name);
  if (!existsSync(join(folder, 'package.json'))) continue;
  copyAssets(folder, join(folder, 'dist'));
  copyListed(folder);
  const dist = join(folder, 'dist');
  if (!process.argv.includes('--assets'))
    await bundle(dist, 'plugin.bundle', 'plugin.js', join(dist, 'tsconfig.tsbuildinfo'));
}
// start.mjs compares the sources with the time of this file.
if (!process.argv.includes('--assets')) writeFileSync(join(root, 'core', 'dist', '.built'), '');
