// `npm run release` on a small workspace: versions, ranges, dates, commit and tag (docs/releasing.md).
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const manifest = (name, dependencies, peerDependencies) =>
  JSON.stringify({ name, version: '1.0.0', dependencies, peerDependencies });

describe('npm run release', () => {
  let folder;
  const read = (path) => readFileSync(join(folder, path), 'utf8');
  const json = (path) => JSON.parse(read(path));
  const git = (...args) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' }).stdout.trim();
  const write = (files) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    git('add', '-A');
    git('commit', '-qm', 'Change');
  };
  const release = () =>
    spawnSync(process.execPath, [join(root, 'core/bin/release.mjs'), '--root', folder, '--date', '2026-12-01'], {
      encoding: 'utf8',
    });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-release-'));
    git('init', '-q', '-b', 'main');
    git('config', 'user.name', 'Ada');
    git('config', 'user.email', 'ada@example.com');
    const sdk = { '@mortise/plugin-sdk': '^1.0.0' };
    write({
      'package.json': manifest('mortise'),
      'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n- More.\n',
      'core/package.json': manifest('@mortise/core', { ...sdk, '@mortise/core-migrations': '1.0.0' }),
      'migrations/package.json': manifest('@mortise/core-migrations'),
      'plugin-sdk/package.json': manifest('@mortise/plugin-sdk'),
      'plugin-sdk/CHANGELOG.md': '# @mortise/plugin-sdk\n\n## Unreleased\n\n- `defineMore`.\n',
      'plugin-sdk/src/version.ts': "export const sdkVersion = '1.0.0';\n",
      'plugins/accounts/package.json': manifest('@mortise/accounts', undefined, sdk),
      'plugins/accounts/CHANGELOG.md': '# @mortise/accounts\n\n## Unreleased (patch)\n\n- A fix.\n',
      'plugins/stars/package.json': manifest(
        '@mortise/stars',
        { joi: '^17.0.0' },
        { ...sdk, '@mortise/accounts': '^1.0.0' },
      ),
      'plugins/stars/CHANGELOG.md': '# @mortise/stars\n\n## 1.0.0\n\n- Stars.\n',
      'package-lock.json': JSON.stringify({
        version: '1.0.0',
        packages: { '': { version: '1.0.0' }, 'plugins/accounts': { version: '1.0.0', peerDependencies: sdk } },
      }),
    });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('moves what has an Unreleased section, with its date, a commit and a tag', () => {
    const done = release();
    expect(done.status, done.stderr).to.equal(0);
    const versions = ['.', 'core', 'migrations', 'plugin-sdk', 'plugins/accounts', 'plugins/stars'];
    expect(versions.map((path) => json(join(path, 'package.json')).version)).to.equal([
      '1.1.0',
      '1.1.0',
      '1.1.0',
      '1.1.0',
      '1.0.1',
      '1.0.0',
    ]);
    expect(read('CHANGELOG.md')).to.contain('## 1.1.0 (2026-12-01)\n\n- More.');
    expect(read('plugins/accounts/CHANGELOG.md')).to.contain('## 1.0.1 (2026-12-01)');
    expect(read('plugin-sdk/src/version.ts')).to.contain("'1.1.0'");
    expect(git('log', '-1', '--format=%s')).to.equal('Release 1.1.0');
    expect(git('describe', '--tags')).to.equal('v1.1.0');
    expect(git('status', '--porcelain')).to.equal('');
  });

  it('raises ranges among packages of the release, in manifests and the lock file, and leaves others', () => {
    expect(release().status).to.equal(0);
    expect(json('core/package.json').dependencies).to.equal({
      '@mortise/plugin-sdk': '^1.1.0',
      '@mortise/core-migrations': '1.1.0',
    });
    expect(json('plugins/accounts/package.json').peerDependencies).to.equal({ '@mortise/plugin-sdk': '^1.1.0' });
    expect(json('package-lock.json').packages['plugins/accounts']).to.equal({
      version: '1.0.1',
      peerDependencies: { '@mortise/plugin-sdk': '^1.1.0' },
    });
    expect(json('plugins/stars/package.json').peerDependencies['@mortise/accounts']).to.equal('^1.0.0');
  });

  it('refuses a major step that a package outside of the release does not allow', () => {
    write({ 'plugins/accounts/CHANGELOG.md': '# @mortise/accounts\n\n## Unreleased (major)\n\n- `byId` is gone.\n' });
    const refused = release();
    expect(refused.status).to.equal(1);
    expect(refused.stderr).to.contain('@mortise/stars asks for @mortise/accounts ^1.0.0, which leaves out 2.0.0');
    expect(git('status', '--porcelain')).to.equal('');
  });

  it('refuses work that is not committed, an empty section, and to release nothing', () => {
    writeFileSync(join(folder, 'loose.txt'), '');
    expect(release().stderr).to.contain('not committed');
    write({ 'plugins/stars/CHANGELOG.md': '# @mortise/stars\n\n## Unreleased\n\n## 1.0.0\n' });
    expect(release().stderr).to.contain('nothing stands under Unreleased');
    write({ 'plugins/stars/CHANGELOG.md': '# @mortise/stars\n\n## 1.0.0\n', 'CHANGELOG.md': '# Changelog\n' });
    expect(release().stderr).to.contain('there is nothing to release');
  });
});
