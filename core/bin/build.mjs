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
import { availableParallelism } from 'node:os';
import { basename, dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goEnvironment } from './go-environment.mjs';
import { tsc } from './compiler.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const assetEndings = new Set(['.css', '.svg', '.png', '.ico', '.woff2']);
const skipped = new Set(['dist', 'node_modules', 'test']);

/** Packages with sources; `tsc` finds their order by the references in each. */
const packages = [
  'plugin-sdk',
  'migrations',
  'core',
  ...readdirSync(join(root, 'plugins')).map((name) => `plugins/${name}`),
].filter((folder) => existsSync(join(root, folder, 'tsconfig.json')));

/**
 * As many packages at once as there are cores. By itself the compiler takes four and checks each by four workers, which all
 * learn the same types of the libraries.
 */
function compile() {
  const args = ['-b', ...packages, '--checkers', '1', '--builders', String(availableParallelism())];
  const env = { ...goEnvironment, ...process.env };
  const run = spawnSync(process.execPath, [tsc, ...args], { stdio: 'inherit', cwd: root, env });
  if (run.status !== 0) process.exit(run.status ?? 1);
}

const isAsset = (path) => assetEndings.has(extname(path)) || /[\\/](texts|settings)[\\/][^\\/]+\.json$/.test(path);

/** Files with the endings above, catalogues of texts and lists of settings, anywhere in the package's sources. */
function* assetsBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* assetsBelow(path);
    else if (entry.isFile() && isAsset(path)) yield path;
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

/** Removes what was compiled of sources that are gone: it would be loaded, tested and packed. */
function removeStale(sources, dist) {
  if (!existsSync(dist)) return;
  for (const entry of readdirSync(dist, { withFileTypes: true })) {
    const path = join(dist, entry.name);
    if (entry.isDirectory()) removeStale(join(sources, entry.name), path);
    else if (/\.([cm]?js|d\.ts)(\.map|\.LICENSES\.txt)?$/.test(entry.name)) {
      const stem = join(sources, entry.name.replace(/(\.d\.ts|\.js)(\.map)?$/, ''));
      if (!existsSync(`${stem}.ts`) && !existsSync(`${stem}.tsx`)) rmSync(path);
    } else if (basename(dist) === 'texts' && !existsSync(join(sources, entry.name))) rmSync(path);
  }
}

const isWhole = !process.argv.includes('--assets');
if (isWhole) {
  compile();
  removeStale(join(root, 'core', 'src'), join(root, 'core', 'dist'));
  removeStale(join(root, 'plugin-sdk', 'src'), join(root, 'plugin-sdk', 'dist'));
}
for (const name of ['core', 'plugin-sdk']) copyAssets(join(root, name, 'src'), join(root, name, 'dist'));
for (const name of readdirSync(join(root, 'plugins'))) {
  const folder = join(root, 'plugins', name);
  if (!existsSync(join(folder, 'package.json'))) continue;
  if (isWhole) removeStale(folder, join(folder, 'dist'));
  copyAssets(folder, join(folder, 'dist'));
  copyListed(folder);
}
// start.mjs compares the sources with the time of this file.
if (isWhole) writeFileSync(join(root, 'core', 'dist', '.built'), '');
