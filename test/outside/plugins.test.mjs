// Plugins from outside, from the packed package to the last row of their data: added by command to a server that was set
// up from tarballs, used by real clients, updated, refused where they don't fit, and removed.
// Database: SQLite alone takes the long way; MariaDB has a part of its own below.
// Time: about 100 s
//   MORTISE_TEST_FULL=1   npm installs the packed packages instead of a copy of what it would install, and all of it is
//                         done on MariaDB too
import { createServer } from 'node:http';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pluginsBeside } from '../support/plugin-names.mjs';
import { buildPlugins, makeInstallation, must, outsidePlugins, repack, run } from './kit.mjs';
import { python } from './python.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const basic = { authorization: `Basic ${Buffer.from('ada:correct horse').toString('base64')}` };
const json = { ...basic, 'content-type': 'application/json' };
const ada = ['--username', 'ada', '--password', 'correct horse', '--email', 'ada@example.com'];
/** What those from outside and these tests build upon; to start all that comes with Mortise is proven once. */
const others = pluginsBeside('sessions', 'auth-basic', 'package-generic', 'webhooks');

describe('plugins from outside', { timeout: 900_000 }, () => {
  let site;
  const packed = {};
  const get = async (path, headers = basic) => {
    const answer = await fetch(site.base + path, { headers, redirect: 'manual' });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const post = async (path, body, headers = json) => {
    const answer = await fetch(site.base + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, text: await answer.text() };
  };
  const plugins = () => readdirSync(join(site.workDir, 'plugins')).filter((name) => !name.startsWith('.'));

  before(async () => {
    site = await makeInstallation();
    const next = {
      name: 'shelf',
      folder: 'shelf-next',
      over: ['shelf-update'],
      change: (text) => text.replace('1.0.0', '1.1.0'),
    };
    const files = buildPlugins(site.server, [...outsidePlugins.map((name) => ({ name })), next]);
    for (const [at, name] of [...outsidePlugins, 'next'].entries()) packed[name] = files[at];
    packed.last = repack(packed.next, 'shelf-last', (text) => text.replace('1.1.0', '1.2.0'));
  });
  after(() => site?.close());

  it('a server set up from tarballs starts with all that comes with Mortise', async () => {
    site.set('MORTISE_WORK_DIR', join(site.folder, 'all'));
    const list = site.ok('plugins', 'list');
    for (const name of ['accounts', 'repositories', 'packages', 'webhooks'])
      expect(list).to.match(new RegExp(`^on +${name} `, 'm'));
    site.ok('admin', 'user', 'create', ...ada);
    expect(site.ok('migrate')).to.contain('up to date');
    site.set('MORTISE_WORK_DIR', site.workDir);
    site.set('MORTISE__plugins__DISABLED', others);
    site.ok('admin', 'user', 'create', ...ada);
  });

  it('are added as packed files and as folders, and listed with where they come from', () => {
    for (const name of ['package-wheels', 'webhook-pager', 'auth-gate'])
      expect(site.ok('plugins', 'add', packed[name]))
        .to.contain(`added ${name} 1.0.0`)
        .and.contain('needs no capabilities');
    expect(site.ok('plugins', 'add', join(site.server, 'sources/shelf'))).to.contain('added shelf 1.0.0');
    expect(site.ok('plugins', 'add', packed['shelf-labels'])).to.contain('added shelf-labels 1.0.0');
    const list = site.ok('plugins', 'list');
    for (const name of Object.keys(packed).filter((one) => !['next', 'last'].includes(one)))
      expect(list).to.match(new RegExp(`^on +${name} +1\\.0\\.0 .*\\(added\\)$`, 'm'));
    const info = site.ok('plugins', 'info', 'shelf');
    for (const part of [
      'it can query the database',
      'shelf.stickers',
      'shelf.bookAdded',
      'mortise shelf add',
      '[shelf] LENGTH',
      'GET /api/v1/user/shelf',
    ])
      expect(info).to.contain(part);
  });

  it('that do not fit are refused with every reason, and nothing of them stays', () => {
    const before = plugins();
    const misfit = (folder, change) => repack(packed['shelf-labels'], folder, change);
    const cases = [
      [
        misfit('too-new', (text) =>
          text
            .replace('"@mortise/plugin-sdk": "^1.0.0"', '"@mortise/plugin-sdk": "^9.0.0"')
            .replace('mortise-plugin-shelf-labels', 'mortise-plugin-other')
            .replace('"@acme/mortise-plugin-shelf": "^1.0.0"', '"@acme/mortise-plugin-shelf": "^3.0.0"'),
        ),
        ['@mortise/plugin-sdk ^9.0.0, but this is 1.', '@acme/mortise-plugin-shelf ^3.0.0, but this is 1.0.0'],
      ],
      [
        misfit('alone', (text) =>
          text
            .replace('mortise-plugin-shelf-labels', 'mortise-plugin-other')
            .replace("'shelf-labels'", "'other'")
            .replace("{ shelf: '^1.0.0' }", "{ bookcase: '^1.0.0' }"),
        ),
        ['the plugin other requires bookcase ^1.0.0, which is not there'],
      ],
      [
        misfit('liar', (text) => text.replace('mortise-plugin-shelf-labels', 'mortise-plugin-other')),
        ['calls itself shelf-labels'],
      ],
      [
        misfit('sly', (text) =>
          text
            .replace('mortise-plugin-shelf-labels', 'mortise-plugin-other')
            .replace("'shelf-labels'", "'other'")
            .replace("'long'", "'tall'")
            .replace('import { definePlugin }', "import 'node:child_process';\nimport { definePlugin }"),
        ),
        ['it needs the capability processes, which mortise.capabilities of its package.json does not name'],
      ],
      [packed.shelf, ['the plugin shelf 1.0.0 is installed already']],
      [packed['webhook-pager'].replace(/[^/]+$/, 'not-there.tgz'), ['not-there.tgz does not exist']],
    ];
    for (const [file, reasons] of cases) {
      const refused = site.mortise('plugins', 'add', file);
      expect(refused.status, refused.all).to.equal(1);
      for (const reason of reasons) expect(refused.stderr).to.contain(reason);
    }
    expect(plugins()).to.equal(before);
    expect(readdirSync(join(site.workDir, 'plugins')).filter((name) => name.startsWith('.staging'))).to.equal([]);
    expect(readdirSync(join(site.workDir, 'plugins/.packages'))).to.have.length(before.length);
  });

  it('a registry serves the real twine and pip', { timeout: 900_000 }, async () => {
    await site.start();
    const tools = python();
    if (!tools) return console.log('python is not here: twine and pip were not tried');
    const wheels = join(site.folder, 'wheels');
    mkdirSync(wheels);
    const wheel = join(wheels, 'toy_hello-1.0.0-py3-none-any.whl');
    must(tools.python, ['-c', tools.wheelMaker, wheel]);
    const index = `${site.base}/api/packages/ada/wheels`;
    const address = index.replace('//', '//ada:correct%20horse@');
    const upload = (password) =>
      run(tools.twine, [
        'upload',
        '--disable-progress-bar',
        '--non-interactive',
        '--repository-url',
        index,
        '-u',
        'ada',
        '-p',
        password,
        wheel,
      ]);
    expect(upload('wrong').status).to.equal(1);
    const uploaded = upload('correct horse');
    expect(uploaded.status, uploaded.all).to.equal(0);
    expect(upload('correct horse').all).to.contain('409');
    const target = join(site.folder, 'site-packages');
    must(tools.pip, [
      'install',
      '--no-deps',
      '--no-cache-dir',
      '--disable-pip-version-check',
      '--index-url',
      `${address}/simple`,
      '--target',
      target,
      'toy.hello==1.0.0',
    ]);
    expect(readFileSync(join(target, 'toy_hello.py'), 'utf8')).to.contain('hello');
    const page = await get('/ada/-/packages/wheels/toy-hello/1.0.0');
    expect([page.status, page.text.includes(`pip install --index-url ${index}/simple toy-hello==1.0.0`)]).to.equal([
      200,
      true,
    ]);
  });

  it('a webhook kind asks for typed fields and keeps its password to itself', async () => {
    const seen = [];
    const pager = createServer((request, response) => {
      let body = '';
      request
        .on('data', (chunk) => (body += chunk))
        .on('end', () => {
          seen.push({ key: request.headers['x-pager-key'], body: JSON.parse(body) });
          response.end();
        });
    });
    await new Promise((resolve) => pager.listen(0, '127.0.0.1', resolve));
    try {
      const config = {
        url: `http://127.0.0.1:${pager.address().port}/`,
        content_type: 'json',
        level: 'high',
        quiet: 'true',
        repeat: '2',
        key: 'open sesame',
      };
      const hook = { type: 'pager', active: true, events: ['package'], config };
      expect((await post('/api/v1/user/hooks', { ...hook, config: { ...config, level: 'middle' } })).status).to.equal(
        422,
      );
      const made = await post('/api/v1/user/hooks', hook);
      expect(made.status, made.text).to.equal(201);
      expect(made.text).to.not.contain('sesame');
      const put = await fetch(`${site.base}/api/packages/ada/generic/thing/1.0.0/thing.bin`, {
        method: 'PUT',
        headers: basic,
        body: 'x',
      });
      expect(put.status).to.equal(201);
      while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(seen[0]).to.equal({
        key: 'open sesame',
        body: { event: 'package', level: 'high', quiet: 'true', repeat: '2' },
      });
    } finally {
      pager.close();
    }
  });

  it('an auth method believes the header of a trusted proxy, and tells why it does not', async () => {
    const user = await get('/api/v1/user', { 'x-gate-user': 'ada' });
    expect([user.status, JSON.parse(user.text).login]).to.equal([200, 'ada']);
    const page = await get('/', { 'x-gate-user': 'nobody', accept: 'text/html' });
    expect([page.status, page.text.includes('the gate knows no nobody')]).to.equal([401, true]);
    // What browsers send by themselves needs the token of the page.
    expect(
      (
        await post(
          '/api/v1/user/shelf',
          { title: 'forged' },
          { 'x-gate-user': 'ada', 'content-type': 'application/json' },
        )
      ).status,
    ).to.equal(403);
  });

  it('a feature has its table, page, island, job, event, command and documents; another plugin fills its point', async () => {
    expect((await post('/api/v1/user/shelf', { title: 'Moby Dick' })).status).to.equal(201);
    expect(site.ok('shelf', 'add', '--title', 'The Count of Monte Cristo')).to.contain('book 2 is on the shelf');
    const list = JSON.parse((await get('/api/v1/user/shelf')).text);
    expect(list.map((one) => one.title)).to.equal(['Moby Dick', 'The Count of Monte Cristo']);
    const page = await get('/shelf', { 'x-gate-user': 'ada', accept: 'text/html' });
    expect(page.text).to.contain('Moby Dick').and.contain('a long title').and.contain('href="/shelf"');
    const [, script] = /src="(\/assets\/[^"]+\/shelf\.js)"/.exec(page.text);
    expect((await get(script)).text).to.contain('books');
    expect((await get('/swagger.v1.json')).text).to.contain('/user/shelf');
    const counted = join(site.workDir, 'data/storage/shelf/count');
    while (!existsSync(counted) || readFileSync(counted, 'utf8') !== '2')
      await new Promise((resolve) => setTimeout(resolve, 50));
  });

  it('are left to a server that runs: what it has loaded stays, and nothing is purged', async () => {
    const versions = () =>
      readdirSync(join(site.workDir, 'plugins/.packages')).flatMap(
        (name) => /^shelf-(\d[\d.]*)-/.exec(name)?.[1] ?? [],
      );
    const refused = site.mortise('plugins', 'remove', 'shelf-labels', '--purge');
    expect([refused.status, refused.stderr.includes('stop it before you purge')], refused.all).to.equal([1, true]);
    expect(site.ok('plugins', 'update', packed.next)).to.contain('updated shelf from 1.0.0 to 1.1.0');
    expect(site.ok('plugins', 'update', packed.last)).to.contain('updated shelf from 1.1.0 to 1.2.0');
    expect(versions().sort()).to.equal(['1.0.0', '1.2.0']);
    expect(JSON.parse((await get('/api/v1/user/shelf')).text)).to.have.length(2);
    await site.stop();
  });

  it('are updated with their migrations and their scripts; older ones are refused', async () => {
    expect(site.mortise('plugins', 'update', packed.next).stderr).to.contain('older than what is installed, 1.2.0');
    await site.start();
    const page = await get('/shelf', { 'x-gate-user': 'ada', accept: 'text/html' });
    const [, script] = /src="(\/assets\/[^"]+\/shelf\.js)"/.exec(page.text);
    expect((await get(script)).text).to.contain('volumes');
    expect(JSON.parse((await get('/api/v1/user/shelf')).text)).to.have.length(2);
    await site.stop();
    expect(site.ok('doctor')).to.contain('the tables are up to date');
  });

  it('are removed without their data, which doctor names and which is there again with the plugin', async () => {
    const needed = site.mortise('plugins', 'remove', 'shelf');
    expect([needed.status, needed.stderr.includes('the plugin shelf is required by shelf-labels')]).to.equal([1, true]);
    site.ok('plugins', 'remove', 'shelf-labels');
    expect(site.ok('plugins', 'remove', 'shelf')).to.contain('removed shelf 1.2.0; its data stays');
    const told = site.ok('doctor');
    expect(told).to.match(/leftovers: .*\(shelf\).*shelf_book, shelf_reader/);
    await site.start();
    expect((await get('/api/v1/user/shelf')).status).to.equal(404);
    expect((await get('/swagger.v1.json')).text).to.not.contain('/user/shelf');
    await site.stop();
    site.ok('plugins', 'add', packed.last);
    await site.start();
    expect(JSON.parse((await get('/api/v1/user/shelf')).text)).to.have.length(2);
    await site.stop();
  });

  it('are removed with --purge: tables, files, jobs, events and settings go', async () => {
    mkdirSync(join(site.workDir, 'config'), { recursive: true });
    const ini = join(site.workDir, 'config/app.ini');
    writeFileSync(
      ini,
      `${existsSync(ini) ? readFileSync(ini, 'utf8') : ''}\nAPP_NAME = Books\n[shelf]\nLENGTH = 50\n[log]\nLEVEL = warn\n`,
    );
    const said = site.ok('plugins', 'remove', 'shelf', '--purge');
    expect(said).to.contain('undone: shelf/0002_add_shelf_reader').and.contain('undone: shelf/0001_create_shelf');
    expect(said)
      .to.contain('1 files deleted')
      .and.contain('1 settings taken out')
      .and.contain('removed shelf 1.2.0 and its data');
    expect(readFileSync(ini, 'utf8'))
      .to.contain('APP_NAME = Books')
      .and.contain('LEVEL = warn')
      .and.not.contain('shelf');
    expect(site.ok('doctor')).to.not.contain('leftovers');
    expect(plugins()).to.equal(['auth-gate', 'package-wheels', 'webhook-pager']);
    await site.start();
    expect((await get('/api/v1/user')).status).to.equal(200);
    await site.stop();
  });

  const full = Boolean(process.env.MORTISE_TEST_FULL);
  it('on MariaDB too: added, used, updated, and removed with their tables', { skip: !full }, async (flags) => {
    if (!process.env.MORTISE_TEST_MYSQL) return flags.note('no MariaDB here');
    const other = await makeInstallation({ engine: 'mysql', from: site });
    const ask = async (path, options = {}) => {
      const answer = await fetch(other.base + path, { ...options, headers: json });
      return { status: answer.status, text: await answer.text() };
    };
    const add = (title) => ask('/api/v1/user/shelf', { method: 'POST', body: JSON.stringify({ title }) });
    try {
      other.set('MORTISE__plugins__DISABLED', others);
      other.ok('admin', 'user', 'create', ...ada);
      for (const file of [packed.shelf, packed['shelf-labels']]) other.ok('plugins', 'add', file);
      await other.start();
      expect((await add('Moby Dick')).status).to.equal(201);
      expect((await ask('/api/v1/user/shelf')).text).to.contain('Moby Dick');
      await other.stop();
      other.ok('plugins', 'update', packed.next);
      await other.start();
      expect((await add('The Count of Monte Cristo')).status).to.equal(201);
      expect(JSON.parse((await ask('/api/v1/user/shelf')).text)).to.have.length(2);
      await other.stop();
      other.ok('plugins', 'remove', 'shelf-labels');
      const purged = other.ok('plugins', 'remove', 'shelf', '--purge');
      expect(purged).to.contain('undone: shelf/0002_add_shelf_reader').and.contain('undone: shelf/0001_create_shelf');
      expect(other.ok('doctor')).to.not.contain('leftovers');
      expect(existsSync(join(other.workDir, 'data/mortise.db')), 'kept in MariaDB').to.be.false();
    } finally {
      await other.close();
    }
  });
});
