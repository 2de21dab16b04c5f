// Plugins by name: published with npm to a registry, which here is Mortise itself, added from there, and updated.
// Database: SQLite alone, as nothing here has to do with the database.
// Time: about 20 s
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pluginsBeside } from '../support/plugin-names.mjs';
import { root, startServer } from '../support/server.mjs';
import { buildPlugins, must, run } from './kit.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const program = join(root, 'core/bin/mortise.mjs');
const name = '@acme/mortise-plugin-shelf';

describe('plugins by name from a registry', { timeout: 600_000 }, () => {
  let server;
  let folder;
  let env;
  const mortise = (...words) => run(process.execPath, [program, 'plugins', ...words], { env });
  const publish = (options) => {
    const [packed] = buildPlugins(folder, [{ name: 'shelf', ...options }]);
    must('npm', ['publish', packed, '--loglevel=error'], { env, cwd: folder });
  };

  before(async () => {
    server = await startServer({ plugins: ['package-npm'] });
    folder = mkdtempSync(join(tmpdir(), 'mortise-registry-'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const token = await server.api('POST', '/users/root/tokens', { body: { name: 'npm', scopes: ['all'] } });
    const registry = `${server.base}/api/packages/root/npm/`;
    const npmrc = join(folder, 'npmrc');
    writeFileSync(npmrc, `registry=${registry}\n${registry.replace(/^http:/, '')}:_authToken=${token.json.sha1}\n`);
    env = {
      ...process.env,
      npm_config_userconfig: npmrc,
      MORTISE_WORK_DIR: join(folder, 'work'),
      MORTISE__plugins__DISABLED: pluginsBeside('accounts'),
    };
    for (const key of Object.keys(env)) if (/^npm_config_registry$/i.test(key)) delete env[key];
  });
  after(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it('are added, and updated to what was published since', () => {
    const missing = mortise('add', name);
    expect([missing.status, missing.stderr.includes(`npm could not get ${name}`)]).to.equal([1, true]);
    publish();
    expect(mortise('add', name).stdout).to.contain('added shelf 1.0.0');
    expect(mortise('update', 'shelf').stderr).to.contain('shelf 1.0.0 is already installed');
    publish({
      folder: 'shelf-next',
      over: ['shelf-update'],
      change: (text) => text.replace('1.0.0', '1.1.0'),
    });
    expect(mortise('update', 'shelf').stdout).to.contain('updated shelf from 1.0.0 to 1.1.0');
    expect(mortise('list').stdout).to.match(/^on +shelf +1\.1\.0 .*\(added\)$/m);
  });

  it('are looked for in the registry that the settings name, and in none where they name none', async () => {
    const asked = [];
    const registry = createServer((request, response) => {
      asked.push(decodeURIComponent(request.url));
      const found = { name, version: '1.2.0', description: 'Books\u001b[2J', publisher: { username: 'acme' } };
      const isAsked =
        new URL(request.url, 'http://x').searchParams.get('text') === 'keywords:mortise-plugin shelf books';
      response.end(JSON.stringify({ objects: isAsked ? [{ package: found }] : [] }));
    });
    await new Promise((resolve) => registry.listen(0, '127.0.0.1', resolve));
    const MORTISE__plugins__CATALOGUE_URL = `http://127.0.0.1:${registry.address().port}`;
    // the registry answers in this process
    const plugins = (...args) =>
      promisify(execFile)(process.execPath, [program, 'plugins', ...args], {
        env: { ...env, MORTISE__plugins__CATALOGUE_URL },
      });
    const search = (...words) => plugins('search', ...words);
    expect((await search('shelf', 'books')).stdout).to.equal(
      `${name} 1.2.0 (1.1.0 is added)\n  Books [2J; published by acme\n`,
    );
    expect((await search('chair')).stdout).to.equal('no plugin was found\n');
    // and come from there, not from a package of that name elsewhere
    await expect(plugins('update', 'shelf')).to.reject(/npm could not get/);
    expect(asked.at(-1)).to.equal(`/${name}`);
    registry.close();
    const off = mortise('search', 'shelf');
    expect([off.status, off.stderr.includes('[plugins] CATALOGUE_URL is empty')]).to.equal([1, true]);
  });

  it('are checked for another version of the SDK', () => {
    const fits = mortise('check', '--for', '1.9.0');
    expect([fits.status, fits.stdout]).to.equal([
      0,
      'shelf 1.1.0 allows 1.9.0 (^1.0.0)\n  needs @mortise/accounts ^1.0.0\n',
    ]);
    const misfits = mortise('check', '--for', '2.0.0');
    expect([misfits.status, misfits.stdout.split('\n')[0]]).to.equal([1, 'shelf 1.1.0 does not allow 2.0.0 (^1.0.0)']);
    expect(mortise('check', '--for', 'next').stderr).to.contain('"next" is no version such as 2.0.0.');
  });
});
