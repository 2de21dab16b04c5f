#!/usr/bin/env node
// `npm run release`: gives every package with an `Unreleased` section in its CHANGELOG its next version, with the date,
// commits that and tags it. docs/releasing.md says when and how. `--root FOLDER` works in another checkout.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import semver from 'semver';

const { values } = parseArgs({ options: { root: { type: 'string' }, date: { type: 'string' } } });
const root = values.root ?? dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const date = values.date ?? new Date().toISOString().slice(0, 10);

const heading = /^## Unreleased(?: \((patch|minor|major)\))?$/m;
const kinds = ['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies'];
/** These have no changelog of their own: they move with the root. */
const withRoot = ['core', 'migrations'];

const read = (...path) => readFileSync(join(root, ...path), 'utf8');
const write = (path, text) => writeFileSync(join(root, path), text);
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

function fail(message) {
  console.error(message);
  process.exit(1);
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) fail(`git ${args[0]}: ${stderr}`);
  return stdout.trim();
}

function readPackage(folder) {
  const manifest = JSON.parse(read(folder, 'package.json'));
  const changelog = existsSync(join(root, folder, 'CHANGELOG.md')) ? read(folder, 'CHANGELOG.md') : '';
  return { folder, manifest, changelog, next: manifest.version };
}

/** Sets `next` of each package that has something to release. */
function plan(packages) {
  for (const one of packages) {
    const found = heading.exec(one.changelog);
    if (!found) continue;
    const section = one.changelog.slice(found.index + found[0].length).split(/^## /m)[0];
    if (section.trim() === '') fail(`${join(one.folder, 'CHANGELOG.md')}: nothing stands under ${found[0].slice(3)}`);
    one.next = semver.inc(one.manifest.version, found[1] ?? 'minor');
  }
  const [top] = packages;
  for (const one of packages) if (withRoot.includes(one.folder)) one.next = top.next;
  if (top.next === top.manifest.version) fail('CHANGELOG.md has no Unreleased section: there is nothing to release');
}

/** The range of a dependency after the release: packages of one release were tested together. */
function rangeAfter(range, { next, manifest }, isReleased, dependent) {
  if (next === manifest.version) return range;
  const raised = isReleased ? `${/^[~^]?/.exec(range)[0]}${next}` : range;
  if (!semver.satisfies(next, raised))
    fail(`${dependent} asks for ${manifest.name} ${range}, which leaves out ${next}`);
  return raised;
}

function updateManifest(one, byName) {
  const { manifest } = one;
  const isReleased = one.next !== manifest.version;
  for (const kind of kinds)
    for (const [name, range] of Object.entries(manifest[kind] ?? {})) {
      const dependency = byName.get(name);
      if (dependency) manifest[kind][name] = rangeAfter(range, dependency, isReleased, manifest.name);
    }
  return { ...manifest, version: one.next };
}

function updateLock(packages) {
  const lock = JSON.parse(read('package-lock.json'));
  lock.version = packages[0].next;
  for (const { folder, manifest, next } of packages) {
    const entry = lock.packages[folder === '.' ? '' : folder];
    if (!entry) continue;
    entry.version = next;
    for (const kind of kinds) if (entry[kind] && manifest[kind]) entry[kind] = manifest[kind];
  }
  write('package-lock.json', json(lock));
}

if (git('status', '--porcelain') !== '') fail('There are changes that are not committed.');
const plugins = readdirSync(join(root, 'plugins')).filter((name) =>
  existsSync(join(root, 'plugins', name, 'package.json')),
);
const folders = ['.', ...withRoot, 'plugin-sdk', ...plugins.map((name) => `plugins/${name}`)];
const packages = folders.map(readPackage);
const byName = new Map(packages.map((one) => [one.manifest.name, one]));
plan(packages);

const manifests = packages.map((one) => updateManifest(one, byName));
for (const [index, one] of packages.entries()) {
  if (JSON.stringify(manifests[index]) !== JSON.stringify(JSON.parse(read(one.folder, 'package.json'))))
    write(join(one.folder, 'package.json'), json(manifests[index]));
  if (one.next === one.manifest.version) continue;
  if (one.changelog)
    write(join(one.folder, 'CHANGELOG.md'), one.changelog.replace(heading, `## ${one.next} (${date})`));
}
updateLock(packages);
const [{ next: version }] = packages;
const { next: sdkVersion } = byName.get('@mortise/plugin-sdk');
for (const [path, pattern, text] of [
  ['plugin-sdk/src/version.ts', /(sdkVersion = ')[^']+/, sdkVersion],
  ['config/deploy/helm/Chart.yaml', /^((?:appV|v)ersion: ).+/gm, version],
])
  if (existsSync(join(root, path))) write(path, read(path).replace(pattern, `$1${text}`));

git('add', '-A');
git('commit', '-qm', `Release ${version}`);
git('tag', '-a', `v${version}`, '-m', `Mortise ${version}`);
const released = packages.filter(({ manifest, next }) => manifest.version !== next);
for (const { manifest, next } of released) console.log(`${manifest.name} ${manifest.version} → ${next}`);
console.log(`Tagged v${version}. Look at it (git show --stat), test it, then: git push --follow-tags`);
