// What `npm pack` would publish of every workspace: compiled code, what it reads, its documents, and nothing else.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { sdkVersion } from '@mortise/plugin-sdk';

export const lab = Lab.script();
const { describe, it, before } = lab;
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const plugins = readdirSync(join(root, 'plugins')).filter((name) =>
  existsSync(join(root, 'plugins', name, 'package.json')),
);
const folders = ['plugin-sdk', 'migrations', 'core', ...plugins.map((name) => `plugins/${name}`)];

/** Files of a folder, as paths in it. */
function filesBelow(folder, ending, prefix = '') {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) return filesBelow(join(folder, entry.name), ending, `${path}/`);
    return ending.test(entry.name) ? [path] : [];
  });
}

/** Kits for the tests of other plugins, which nobody needs who only uses the plugin. */
const withoutKit = ({ './testing': _kit, ...rest }) => rest;

/** Every path that `exports` and `bin` name. */
const named = (value) =>
  typeof value === 'string' ? [value.replace(/^\.\//, '')] : Object.values(value ?? {}).flatMap(named);

describe('the packages of all workspaces', { timeout: 600_000 }, () => {
  const packed = new Map();
  before(() => {
    const run = spawnSync('npm', ['pack', '--dry-run', '--json', ...folders.flatMap((name) => ['-w', name])], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      shell: process.platform === 'win32',
    });
    expect(run.status, run.stderr).to.equal(0);
    const list = JSON.parse(run.stdout);
    for (const one of Array.isArray(list) ? list : Object.values(list))
      packed.set(
        one.name,
        one.files.map(({ path }) => path),
      );
  });

  const each = () => folders.map((folder) => ({ folder, about: read(`${folder}/package.json`) }));

  it('hold their compiled code and everything that package.json names', () => {
    for (const { folder, about } of each()) {
      const files = packed.get(about.name);
      expect(files, folder).to.include('package.json');
      expect(files, folder).to.include('README.md');
      if (folder.startsWith('plugins/')) expect(files, folder).to.include('CHANGELOG.md');
      const names = folder.startsWith('plugins/') ? withoutKit(about.exports) : about.exports;
      for (const path of [...named(names), ...named(about.bin), ...named(about.mortise?.plugin ?? {})])
        expect(files, `${folder}: ${path}`).to.include(path);
    }
  });

  it('hold their migrations and what pages and scripts need', () => {
    for (const { folder, about } of each()) {
      const dist = filesBelow(join(root, folder, 'dist'), /\.(js|css|svg|png|woff2)$/).filter(
        (path) => !/^test(\/|ing\.js$)/.test(path),
      );
      expect(dist, folder).to.not.be.empty();
      const files = new Set(packed.get(about.name));
      expect(
        dist.filter((path) => !files.has(`dist/${path}`)),
        folder,
      ).to.equal([]);
    }
  });

  it('hold no sources, no tests and no traces of the build', () => {
    for (const { folder, about } of each()) {
      const extra = packed
        .get(about.name)
        .filter(
          (path) =>
            !/^(dist\/(?!test(\/|ing\.(js|d\.ts)$))|schemas\/\w+\.json$|bin\/mortise\.mjs$|(package\.json|README\.md|CHANGELOG\.md|LICENSE)$)/.test(
              path,
            ),
        );
      const traces = packed
        .get(about.name)
        .filter(
          (path) => /\.(map|tsbuildinfo)$|\.test\.|\/\.built$|(^|[^d])\.tsx?$/.test(path) && !path.endsWith('.d.ts'),
        );
      expect([...extra, ...traces], folder).to.equal([]);
    }
  });

  it('read no file outside of what is packed', () => {
    for (const { folder } of each()) {
      const dist = join(root, folder, 'dist');
      for (const file of filesBelow(dist, /\.js$/)) {
        if (/^(test|cli\/templates)\//.test(file)) continue;
        for (const [, path] of readFileSync(join(dist, file), 'utf8').matchAll(
          /new URL\(['"](\.[^'"]*)['"], import\.meta\.url\)/g,
        )) {
          const target = relative(dist, join(dist, dirname(file), path));
          expect(target, `${folder}/dist/${file} reads ${path}`).to.match(
            /^(?!\.\.)|^\.\.\/(package\.json|bin\/mortise\.mjs)$/,
          );
          expect(existsSync(join(dist, target)), `${folder}/dist/${file} reads ${path}`).to.be.true();
        }
      }
    }
  });

  it('say one version: package.json, the definition, and whoever depends on it', async () => {
    expect(read('plugin-sdk/package.json').version).to.equal(sdkVersion);
    const versions = Object.fromEntries(each().map(({ about }) => [about.name, about.version]));
    for (const { folder, about } of each()) {
      if (folder.startsWith('plugins/')) {
        const { default: definition } = await import(pathToFileURL(join(root, folder, 'dist/plugin.js')).href);
        expect(definition.version, folder).to.equal(about.version);
      }
      for (const [name, range] of Object.entries({ ...about.dependencies, ...about.peerDependencies }))
        if (name.startsWith('@mortise/'))
          expect(
            [`^${versions[name]}`, versions[name], `^${versions[name].split('.')[0]}.0.0`],
            `${folder}: ${name}`,
          ).to.include(range);
    }
  });
});
