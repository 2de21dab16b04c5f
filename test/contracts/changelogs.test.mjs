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

/**
 * Is the change of an API told? Either under `Unreleased`, or the version is another one than at the tag.
 * `before` and `now` hold the reference page and the version.
 */
export const isTold = (before, now, changelog) =>
  before.page === now.page || before.version !== now.version || newest(changelog) === 'Unreleased';

describe('versions and changelogs', () => {
  it('VER-14: the version of a plugin is semantic, and one in package.json, in plugin.ts and at the top of its changelog', () => {
    for (const name of plugins) {
      const { version } = JSON.parse(read('plugins', name, 'package.json'));
      expect(version, name).to.match(/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/);
      expect(/^ {2}version: '([^']+)',$/m.exec(read('plugins', name, 'plugin.ts'))?.[1], name).to.equal(version);
      const first = newest(read('plugins', name, 'CHANGELOG.md'));
      expect(['Unreleased', version], `${name}/CHANGELOG.md`).to.include(first);
    }
  });

  it('tell changes of the public API since the last release', () => {
    const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*').stdout?.trim();
    if (!tag) return;
    for (const name of [...plugins, 'plugin-sdk']) {
      const folder = name === 'plugin-sdk' ? name : `plugins/${name}`;
      if (!existsSync(join(root, 'docs/sdk', `${name}.md`))) continue;
      const at = (path) => git('show', `${tag}:${path}`);
      const manifest = at(`${folder}/package.json`);
      if (manifest.status !== 0) continue;
      const before = { page: at(`docs/sdk/${name}.md`).stdout, version: JSON.parse(manifest.stdout).version };
      const now = { page: read('docs/sdk', `${name}.md`), version: JSON.parse(read(folder, 'package.json')).version };
      expect(
        isTold(before, now, read(folder, 'CHANGELOG.md')),
        `${folder}: a new version, or a note in its CHANGELOG`,
      ).to.be.true();
    }
  });

  it('tell apart what is told and what is not', () => {
    const before = { page: 'a', version: '1.0.0' };
    expect(isTold(before, { page: 'a', version: '1.0.0' }, '## 1.0.0')).to.be.true();
    expect(isTold(before, { page: 'b', version: '1.0.0' }, '## 1.0.0')).to.be.false();
    expect(isTold(before, { page: 'b', version: '1.1.0' }, '## 1.1.0')).to.be.true();
    expect(isTold(before, { page: 'b', version: '1.0.0' }, '## Unreleased')).to.be.true();
    expect(isTold(before, { page: 'b', version: '1.0.0' }, '## Unreleased (patch)')).to.be.true();
    expect(isTold(before, { page: 'b', version: '1.0.0' }, '## 1.0.0 (2026-11-29)')).to.be.false();
  });
});
