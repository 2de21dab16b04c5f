// Starts that a plugin from outside ends: the next goes on without it. Starts that are asked to go without some.
// Time: about 145 s of a core on both engines together
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { layBadPlugin } from './bad-plugins.mjs';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

describe('issue 30: safe mode', { timeout: 600_000 }, () => {
  let folder;
  let server;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-safe-'));
    server = await startServer({ start: false, plugins: ['stars', 'organizations'] });
  });
  afterEach(() => server.stop());
  after(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const list = () => {
    const { out, err } = server.cli('plugins', 'list');
    return `${out}\n${err}`;
  };
  const refusal = () =>
    server.start().then(
      () => 'it started',
      (error) => error.message,
    );
  const signedIn = async () => {
    const answer = await fetch(`${server.base}/user/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: server.base },
      body: new URLSearchParams({ user_name: 'root', password: 'password' }),
    });
    return {
      cookie: answer.headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; '),
    };
  };

  it('a plugin that fails to start is left out of the third start, and named', async () => {
    server.env.MORTISE__plugins__PATHS = [layBadPlugin(folder, 'bad-start'), layBadPlugin(folder, 'bad-route')].join(
      ',',
    );
    for (let count = 0; count < 2; count++) expect(await refusal()).to.contain('the start is jammed');
    await server.start();
    const why =
      'the plugin bad-start ended the last 2 starts (the plugin bad-start fails to start: the start is jammed)';
    expect(server.log).to.contain(why);
    expect(list())
      .to.match(/^! +bad-start +1\.0\.0 .*ended the last 2 starts/m)
      .and.match(/^on +bad-route /m);
    const page = await (await fetch(`${server.base}/-/admin/plugins`, { headers: await signedIn() })).text();
    expect(/<tr><td class="text-mono">bad-start<\/td>.*?<\/tr>/s.exec(page)[0])
      .to.contain('Failed')
      .and.contain(why);
    await server.stop();

    expect(server.cli('plugins', 'enable', 'bad-start').out).to.contain('enabled bad-start; restart');
    expect(await refusal()).to.contain('the start is jammed');
    expect(await refusal()).to.contain('the start is jammed');
    const fixed = layBadPlugin(folder, 'bad-start', { version: '1.0.1', register: '' });
    server.env.MORTISE__plugins__PATHS = [fixed, join(folder, 'bad-route-1.0.0')].join(',');
    await server.start();
    expect(list()).to.match(/^on +bad-start +1\.0\.1 /m);
  });

  it('one that ends the process of the first worker is left out, and the server serves', async () => {
    server.env.MORTISE__plugins__PATHS = layBadPlugin(folder, 'ends-process');
    server.env.MORTISE__server__WORKERS = '2';
    await server.start();
    expect(list()).to.match(/^! +ends-process .*the process ended while it starts/m);
    server.env.MORTISE__server__WORKERS = '1';
  });

  it('--safe starts without plugins from outside, --without without a named one and those that require it', async () => {
    server.env.MORTISE__plugins__PATHS = [layBadPlugin(folder, 'loop-import'), layBadPlugin(folder, 'bad-route')].join(
      ',',
    );
    await server.start('--safe');
    expect((await fetch(`${server.base}/api/v1/bad-route`)).status).to.equal(404);
    await server.stop();
    await server.start('--without', 'loop-import', '--without', 'stars');
    expect((await fetch(`${server.base}/api/v1/bad-route`)).status).to.equal(500);
    expect((await fetch(`${server.base}/api/v1/user/starred`)).status).to.equal(404);
    expect((await server.api('GET', '/user')).json.login).to.equal('root');
    const page = await (await fetch(`${server.base}/-/admin/plugins`, { headers: await signedIn() })).text();
    expect(/<tr><td class="text-mono">loop-import<\/td>.*?<\/tr>/s.exec(page)[0]).to.contain('Starts after a restart');
  });

  it('an added plugin that was changed is left out, named, and put right by an update to the same version', async () => {
    server.env.MORTISE__plugins__PATHS = '';
    const source = layBadPlugin(folder, 'bad-route');
    expect(server.cli('plugins', 'add', source).out).to.contain('added bad-route 1.0.0');
    expect(server.cli('plugins', 'info', 'bad-route').out).to.match(/^sha512-[\w+/]+==/m);
    const entry = join(server.env.MORTISE_WORK_DIR, 'plugins', 'bad-route', 'plugin.js');
    appendFileSync(entry, '// a word more\n');
    await server.start();
    expect((await fetch(`${server.base}/api/v1/bad-route`)).status).to.equal(404);
    expect(list()).to.match(/^! +bad-route .*was changed since it was added/m);
    expect(server.cli('plugins', 'info', 'bad-route').err).to.contain('was changed since it was added');
    await server.stop();
    expect(server.cli('plugins', 'update', source).out).to.contain('updated bad-route from 1.0.0 to 1.0.0');
    await server.start();
    expect((await fetch(`${server.base}/api/v1/bad-route`)).status).to.equal(500);
    expect(server.cli('plugins', 'remove', 'bad-route').out).to.contain('removed bad-route');
    server.env.MORTISE__plugins__ALLOWED = '@acme/*';
    expect(server.cli('plugins', 'add', source).err).to.contain('ALLOWED does not name mortise-plugin-bad-route');
  });
});
