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
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { tsc } from './compiler.mjs';

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
 * and reading them is a tenth of every start. It is folded anew when the compiler wrote the module anew (the first line
 * tells) and when packages were installed since, and replaced at once, so that a build that is killed leaves no half.
 */
async function fold(library, folder, path, format = 'esm', sources = 'src') {
  const source = join(root, folder, sources, `${path}.ts`);
  const made = join(root, folder, 'dist', `${path}.${format === 'esm' ? 'js' : 'cjs'}`);
  const title = `// ${library} in one file\n`;
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (timeOf(made) > timeOf(installed) && readFileSync(made, 'utf8').startsWith(title)) return;
  const { metafile } = await build({
    entryPoints: [source],
    outfile: `${made}.new`,
    bundle: true,
    format,
    platform: 'node',
    target: 'node20',
    external: drivers.flatMap((name) => [name, `${name}/*`]),
    keepNames: true,
    legalComments: 'none',
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
  await fold('objection', 'plugin-sdk', 'objection');
  // CommonJS, so that it can be loaded late and synchronously
  await fold('intl-messageformat', 'plugin-sdk', 'message-format', 'cjs');
  await fold('knex', 'core', 'database/knex');
  await fold('gemoji', 'plugins/markup', 'data/emoji', 'cjs', '.');
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
