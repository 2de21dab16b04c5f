// The main job, on a real server process with real clients: push a history of thousands of commits, browse it, clone
// it back identical, publish and install a package, receive a signed webhook.
import { createHmac } from 'node:crypto';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeRepository } from '../../bench/make-repository.mjs';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the main job (issue 3, part 3)', { timeout: 600_000 }, () => {
  let server;
  let source;

  before(async () => {
    server = await startServer({ fresh: true });
    source = join(server.folder, 'source.git');
    await makeRepository(source, { commits: 3000 });
  });
  after(() => server?.close());

  it('GEN-02: pages and API come from one port', async () => {
    expect((await server.api('GET', '/version', { as: undefined })).json.version).to.match(/^1\.\d+/);
    expect((await fetch(server.base)).status).to.equal(200);
  });

  it('pushes thousands of commits and shows them', async () => {
    expect((await server.api('POST', '/user/repos', { body: { name: 'big' } })).status).to.equal(201);
    const pushed = await server.git(['push', '-q', `${server.base}/root/big.git`, '--all'], { cwd: source });
    expect(pushed.code, pushed.err).to.equal(0);
    const commits = await server.api('GET', '/repos/root/big/commits?limit=1&stat=false&files=false');
    expect(commits.headers.get('x-total-count')).to.equal('3000');
    for (const path of [
      '/root/big',
      '/root/big/src/branch/main/README',
      '/root/big/src/branch/main/src',
      '/root/big/commits/branch/main',
      '/root/big/branches',
      '/root/big/tags',
      `/root/big/commit/${commits.json[0].sha}`,
    ]) {
      const page = await fetch(server.base + path);
      expect(page.status, path).to.equal(200);
      expect(await page.text(), path).to.contain('big');
    }
  });

  it('clones it back identical', async () => {
    for (const [kind, args] of Object.entries({ full: ['--mirror'], v0: ['--mirror', '-c', 'protocol.version=0'] })) {
      const target = join(server.folder, `clone-${kind}`);
      const cloned = await server.git(['clone', '-q', ...args, `${server.base}/root/big.git`, target], {
        as: undefined,
      });
      expect(cloned.code, cloned.err).to.equal(0);
      const refs = (folder) => server.git(['for-each-ref', '--format=%(objectname) %(refname)'], { cwd: folder });
      const objects = async (folder) =>
        (await server.git(['cat-file', '--batch-all-objects', '--batch-check'], { cwd: folder })).out;
      expect((await refs(target)).out).to.equal((await refs(source)).out);
      expect(await objects(target)).to.equal(await objects(source));
      expect((await server.git(['fsck', '--full', '--strict'], { cwd: target })).code).to.equal(0);
    }
  });

  it('clones shallow, partial and a single branch', async () => {
    for (const [name, args] of [
      ['shallow', ['--depth', '3']],
      ['partial', ['--filter=blob:none', '--no-checkout']],
      ['single', ['--single-branch', '-b', 'older']],
    ]) {
      const cloned = await server.git([
        'clone',
        '-q',
        ...args,
        `${server.base}/root/big.git`,
        join(server.folder, name),
      ]);
      expect(cloned.code, cloned.err).to.equal(0);
    }
    expect(
      (await server.git(['rev-list', '--count', 'HEAD'], { cwd: join(server.folder, 'shallow') })).out.trim(),
    ).to.equal('3');
  });

  it('says in the terminal why a push was refused', async () => {
    const refused = await server.git(['push', `${server.base}/root/big.git`, 'main:refs/heads/x'], {
      cwd: source,
      as: 'root:wrong',
    });
    expect(refused.code).to.not.equal(0);
    expect(
      (
        await server.api('POST', '/admin/users', {
          body: {
            username: 'guest',
            email: 'guest@example.com',
            password: 'Tr1cky-passw0rd!',
            must_change_password: false,
          },
        })
      ).status,
    ).to.equal(201);
    const denied = await server.git(['push', `${server.base}/root/big.git`, 'main:refs/heads/x'], {
      cwd: source,
      as: 'guest:Tr1cky-passw0rd!',
    });
    expect(denied.code).to.not.equal(0);
    expect(denied.err.length).to.be.above(10);
    await server.api('PATCH', '/repos/root/big', { body: { archived: true } });
    const archived = await server.git(['push', `${server.base}/root/big.git`, 'main:refs/heads/x'], { cwd: source });
    expect(archived.code).to.not.equal(0);
    expect(archived.err).to.contain('archived');
    expect((await server.api('PATCH', '/repos/root/big', { body: { archived: false } })).status).to.equal(200);
  });

  it('PKG-13: publishes a package with npm and installs it elsewhere', async () => {
    const token = (await server.api('POST', '/users/root/tokens', { body: { name: 'npm', scopes: ['write:package'] } }))
      .json.sha1;
    const registry = `${server.base}/api/packages/root/npm/`;
    const rc = `@root:registry=${registry}\n${registry.replace('http:', '')}:_authToken=${token}\n`;
    const make = (name, manifest, files = {}) => {
      const folder = join(server.folder, name);
      mkdirSync(folder);
      writeFileSync(join(folder, '.npmrc'), rc);
      writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
      return folder;
    };
    const npm = (cwd, ...args) =>
      new Promise((resolve) => {
        const run = spawn('npm', args, {
          cwd,
          env: {
            ...process.env,
            HOME: server.folder,
            npm_config_cache: join(server.folder, 'npm-cache'),
            npm_config_update_notifier: 'false',
            npm_config_audit: 'false',
            npm_config_fund: 'false',
          },
        });
        let text = '';
        run.stdout.on('data', (chunk) => (text += chunk));
        run.stderr.on('data', (chunk) => (text += chunk));
        run.on('close', (code) => resolve({ code, text }));
      });
    const publisher = make(
      'publisher',
      { name: '@root/wheel', version: '1.0.0', main: 'index.js' },
      { 'index.js': 'module.exports = 42;' },
    );
    const published = await npm(publisher, 'publish');
    expect(published.code, published.text).to.equal(0);
    const user = make('consumer', { name: 'consumer', version: '1.0.0' });
    const installed = await npm(user, 'install', '@root/wheel');
    expect(installed.code, installed.text).to.equal(0);
    expect(readFileSync(join(user, 'node_modules/@root/wheel/index.js'), 'utf8')).to.equal('module.exports = 42;');
    const again = await npm(publisher, 'publish');
    expect(again.code).to.not.equal(0);
  });

  it('HOK-22, HOK-23: a push reaches a receiver with valid signatures', async () => {
    const received = [];
    const sink = createServer((request, response) => {
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        received.push({ headers: request.headers, body: Buffer.concat(chunks) });
        response.end('thanks');
      });
    });
    await new Promise((resolve) => sink.listen(0, '127.0.0.1', resolve));
    const made = await server.api('POST', '/repos/root/big/hooks', {
      body: {
        type: 'gitea',
        active: true,
        events: ['push'],
        config: { url: `http://127.0.0.1:${sink.address().port}/`, content_type: 'json', secret: 'shh' },
      },
    });
    expect(made.status).to.equal(201);
    const pushed = await server.git(['push', '-q', `${server.base}/root/big.git`, 'main~5:refs/heads/news'], {
      cwd: source,
    });
    expect(pushed.code, pushed.err).to.equal(0);
    for (const end = Date.now() + 300_000; received.length === 0 && Date.now() < end;)
      await new Promise((resolve) => setTimeout(resolve, 100));
    sink.close();
    expect(received.length).to.be.at.least(1);
    const [{ headers, body }] = received;
    const sign = (algorithm) => createHmac(algorithm, 'shh').update(body).digest('hex');
    expect(headers['x-mortise-signature']).to.equal(sign('sha256'));
    expect(headers['x-gitea-signature']).to.equal(sign('sha256'));
    expect(headers['x-hub-signature-256']).to.equal(`sha256=${sign('sha256')}`);
    expect(headers['x-mortise-hook-installation-target-type']).to.equal('repository');
    expect(JSON.parse(body).ref).to.equal('refs/heads/news');
  });
});
