// Versions and changelogs follow the public API (docs/releasing.md).
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

const read = (...path) => readFileSync(join(root, ...path), 'utf8');
const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
const plugins = readdirSync(join(root, 'plugins')).filter((name) =>
  existsSync(join(root, 'plugins', name, 'plugin.ts')),
);

/** First heading of a changelog: `Unreleased`, or the version that is out, without its date or the size of the step. */
const newest = (text) => /^## (\S+)(?: \((?:patch|minor|major|\d{4}-\d\d-\d\d)\))?$/m.exec(text)?.[1];

/** Is the change of an API in the changelog? Either under `Unreleased`, or the version is another one than at the tag. */
export const isDocumented = (isChanged, versions, changelog) =>
  !isChanged || versions.before !== versions.now || newest(changelog) === 'Unreleased';

/** Where the public API of a package is written. */
const apiOf = (name) =>
  name === 'plugin-sdk' ? ['plugin-sdk/src'] : [`plugins/${name}/api.ts`, `plugins/${name}/contract`];

describe('versions and changelogs', () => {
  it('VER-14: the version of a plugin is semantic, stands in package.json alone, and at the top of its changelog', () => {
    for (const name of plugins) {
      const { version } = JSON.parse(read('plugins', name, 'package.json'));
      expect(version, name).to.match(/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/);
      expect(read('plugins', name, 'plugin.ts'), name).to.contain('...fromPackage(');
      const first = newest(read('plugins', name, 'CHANGELOG.md'));
      expect(['Unreleased', version], `${name}/CHANGELOG.md`).to.include(first);
    }
  });

  it('tell changes of the public API since the last release', () => {
    const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*').stdout?.trim();
    if (!tag) return;
    for (const name of [...plugins, 'plugin-sdk']) {
      const folder = name === 'plugin-sdk' ? name : `plugins/${name}`;
      const manifest = git('show', `${tag}:${folder}/package.json`);
      if (manifest.status !== 0) continue;
      const isChanged = git('diff', '--quiet', tag, '--', ...apiOf(name)).status !== 0;
      const now = JSON.parse(read(folder, 'package.json')).version;
      expect(
        isDocumented(isChanged, { before: JSON.parse(manifest.stdout).version, now }, read(folder, 'CHANGELOG.md')),
        `${folder}: a new version, or a note in its CHANGELOG`,
      ).to.be.true();
    }
  });

  it('tell a documented change from one that is not', () => {
    const same = { before: '1.0.0', now: '1.0.0' };
    expect(isDocumented(false, same, '## 1.0.0')).to.be.true();
    expect(isDocumented(true, same, '## 1.0.0')).to.be.false();
    expect(isDocumented(true, { before: '1.0.0', now: '1.1.0' }, '## 1.1.0')).to.be.true();
    expect(isDocumented(true, same, '## Unreleased')).to.be.true();
    expect(isDocumented(true, same, '## Unreleased (patch)')).to.be.true();
    expect(isDocumented(true, same, '## 1.0.0 (2026-11-29)')).to.be.false();
  });
});
