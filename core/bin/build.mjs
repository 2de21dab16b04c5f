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
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const assetEndings = new Set(['.css', '.svg', '.png', '.ico', '.woff2']);
const skipped = new Set(['dist', 'node_modules', 'test']);

function compile() {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
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
 * One file out of the many of a plugin, because finding and loading each module takes a third of a millisecond of every
 * start. Other packages stay outside; what is imported later stays in files of its own. `core/src/plugins/load.ts`
 * takes it only while it is newer than what was compiled.
 */
async function bundle(folder) {
  const dist = join(folder, 'dist');
  const made = join(dist, 'plugin.bundle.js');
  const compiled = join(dist, 'tsconfig.tsbuildinfo');
  if (!existsSync(join(dist, 'plugin.js')) || !existsSync(compiled)) return;
  if (existsSync(made) && statSync(made).mtimeMs >= statSync(compiled).mtimeMs) return;
  for (const name of readdirSync(dist)) if (/\.bundle\.js(\.map)?$/.test(name)) rmSync(join(dist, name));
  await build({
    entryPoints: { 'plugin.bundle': join(dist, 'plugin.js') },
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
    logLevel: 'warning',
  });
}

/** Drivers that knex would load if they were asked for: those which are installed are found when they are. */
const drivers = ['better-sqlite3', 'libsql', 'mariadb', 'mysql', 'mysql2', 'oracledb', 'pg', 'sqlite3', 'tedious'];

/**
 * One file out of the hundreds of a library, in place of the compiled module that only hands the library on: finding
 * and reading them is a tenth of every start. The first line says what is inside; the compiler writes the module anew
 * when its source changes, and then it is folded anew.
 */
async function fold(library, source, made) {
  const require = createRequire(source);
  const { version } = JSON.parse(readFileSync(join(packageFolder(require, library), 'package.json'), 'utf8'));
  const title = `// ${library} ${version} in one file`;
  if (readFileSync(made, 'utf8').startsWith(`${title}\n`)) return;
  await build({
    entryPoints: [source],
    outfile: made,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: drivers.flatMap((name) => [name, `${name}/*`]),
    keepNames: true,
    banner: {
      js: `${title}\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);`,
    },
    logLevel: 'warning',
  });
}

/** Where a package lies that does not export its package.json. */
function packageFolder(require, name) {
  const entry = require.resolve(name);
  const inside = join('node_modules', name);
  return entry.slice(0, entry.lastIndexOf(inside) + inside.length);
}

if (!process.argv.includes('--assets')) {
  compile();
  const module = (folder, path) => [join(root, folder, 'src', `${path}.ts`), join(root, folder, 'dist', `${path}.js`)];
  await fold('objection', ...module('plugin-sdk', 'objection'));
  await fold('knex', ...module('core', 'database/knex'));
}
copyAssets(join(root, 'core', 'src'), join(root, 'core', 'dist'));
for (const name of readdirSync(join(root, 'plugins'))) {
  const folder = join(root, 'plugins', name);
  if (!existsSync(join(folder, 'package.json'))) continue;
  copyAssets(folder, join(folder, 'dist'));
  copyListed(folder);
  if (!process.argv.includes('--assets')) await bundle(folder);
}
// start.mjs compares the sources with the time of this file.
if (!process.argv.includes('--assets')) writeFileSync(join(root, 'core', 'dist', '.built'), '');
