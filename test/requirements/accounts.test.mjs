// What accounts own, seen from outside: repositories, packages, webhooks, tokens and keys.
import { createServer } from 'node:http';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pagesFor } from '../support/browser.mjs';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const password = 'Tr1cky-passw0rd!';
const nobody = '';

/** A receiver of webhooks; `heard` waits for the delivery that fits. */
async function startReceiver(address, port = 0) {
  const received = [];
  const waiting = new Set();
  const http = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    response.end('thanks');
    received.push({ event: request.headers['x-mortise-event'], body: JSON.parse(Buffer.concat(chunks)) });
    for (const look of waiting) look();
  });
  await new Promise((resolve) => http.listen(port, address, resolve));
  return {
    received,
    port: http.address().port,
    url: `http://${address}:${http.address().port}/`,
    heard: (fits) =>
      new Promise((resolve) => {
        const look = () => {
          const found = received.find(fits);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    close: () => (http.closeAllConnections(), http.close()),
  };
}

describe('repositories, packages and webhooks of accounts', { timeout: 600_000 }, () => {
  let server;
  let sink;
  const tokens = {};

  /** A call that must answer with `status`; gives its JSON. */
  const call = async (as, method, path, status, body) => {
    const answer = await server.api(method, path, { as: tokens[as] ?? as, body });
    expect(answer.status, `${method} ${path}: ${answer.text.slice(0, 200)}`).to.equal(status);
    return answer.json;
  };
  const refused = async (as, method, path, status, body) => {
    const problem = await call(as, method, path, status, body);
    expect(problem, `${method} ${path}`).to.include(['message', 'url']);
  };
  const hook = (url, more = {}) => ({ type: 'gitea', active: true, config: { url, content_type: 'json' }, ...more });
  const publish = async (name, version, file = 'file.txt') => {
    const answer = await fetch(`${server.base}/api/packages/ada/generic/${name}/${version}/${file}`, {
      method: 'PUT',
      headers: { authorization: `token ${tokens.ada}` },
      body: 'content\n',
    });
    expect(answer.status).to.equal(201);
  };
  const makeToken = async (owner, scopes, as) => {
    const path = `/users/${owner}/tokens`;
    return (await call(as, 'POST', path, 201, { name: `${scopes}`.slice(0, 200), scopes })).sha1;
  };

  before(async () => {
    sink = await startReceiver('127.0.0.1');
    server = await startServer({
      settings: {
        MORTISE__security__ALLOWED_HOST_LIST: '127.0.0.2',
        MORTISE__webhook__ALLOWED_HOST_LIST: '127.0.0.1',
      },
    });
    for (const username of ['ada', 'ben']) {
      const email = `${username}@example.com`;
      const user = { username, email, password, must_change_password: false };
      await call('root:password', 'POST', '/admin/users', 201, user);
      tokens[username] = await makeToken(username, ['all'], `${username}:${password}`);
    }
    await call('ada', 'POST', '/user/repos', 201, { name: 'tool', auto_init: true });
    await call('ada', 'POST', '/user/repos', 201, { name: 'lamp' });
    await call('ben', 'POST', '/user/repos', 201, { name: 'bens' });
  });
  after(async () => {
    sink?.close();
    await server?.close();
  });

  describe('repositories', () => {
    it('REP-17: creates a repository from its options', async () => {
      const made = await call('ada', 'POST', '/user/repos', 201, {
        name: 'whole',
        description: 'all options',
        private: true,
        auto_init: true,
        readme: 'Default',
        license: 'MIT',
        gitignores: 'Node',
        issue_labels: 'Default',
        default_branch: 'trunk',
        template: true,
        trust_model: 'collaborator',
        object_format_name: 'sha256',
      });
      expect(made).to.include({
        name: 'whole',
        full_name: 'ada/whole',
        description: 'all options',
        private: true,
        template: true,
        empty: false,
        default_branch: 'trunk',
        object_format_name: 'sha256',
      });
      const files = await call('ada', 'GET', '/repos/ada/whole/contents', 200);
      expect(files.map(({ name }) => name)).to.only.include(['.gitignore', 'LICENSE', 'README.md']);
      await refused('ada', 'POST', '/user/repos', 409, { name: 'Whole' });
      for (const name of ['a b', '..', 'x.git', 'x'.repeat(101)])
        await refused('ada', 'POST', '/user/repos', 422, { name });
      await refused(nobody, 'POST', '/user/repos', 401, { name: 'other' });
    });

    it('REP-03, REP-04, REP-05: switches every unit by an edit, the code unit too, and tells it', async () => {
      const units = ['actions', 'packages', 'releases', 'code', 'issues', 'wiki', 'pull_requests', 'projects'];
      for (const unit of units) {
        const field = `has_${unit}`;
        for (const on of [false, true, false]) {
          expect((await call('ada', 'PATCH', '/repos/ada/lamp', 200, { [field]: on }))[field], field).to.equal(on);
          expect((await call('ada', 'GET', '/repos/ada/lamp', 200))[field], field).to.equal(on);
        }
        const others = Object.entries(await call('ada', 'PATCH', '/repos/ada/lamp', 200, { [field]: true }))
          .filter(([key]) => units.includes(key.slice(4)) && key !== field)
          .map(([, on]) => on);
        expect(others).to.equal(units.slice(1).map(() => true));
      }
      await call('ada', 'PATCH', '/repos/ada/tool', 200, { has_code: false, has_releases: false });
      for (const part of ['contents', 'releases']) await refused('ada', 'GET', `/repos/ada/tool/${part}`, 403);
      const address = `${server.base}/ada/tool.git`;
      expect((await server.git(['ls-remote', address], { as: `ben:${tokens.ben}` })).code).to.not.equal(0);
      await call('ada', 'PATCH', '/repos/ada/tool', 200, { has_code: true, has_releases: true });
      await call('ada', 'GET', '/repos/ada/tool/contents', 200);
      expect((await server.git(['ls-remote', address], { as: `ben:${tokens.ben}` })).code).to.equal(0);
    });

    it('REP-07, REP-08: takes a readme template on creation, and on editing while there is nothing yet', async () => {
      const readme = async (name) => {
        const { content } = await call('ada', 'GET', `/repos/ada/${name}/contents/README.md`, 200);
        return Buffer.from(content, 'base64').toString();
      };
      const named = { name: 'named', description: 'about it', auto_init: true, readme: 'Default' };
      await call('ada', 'POST', '/user/repos', 201, named);
      expect(await readme('named')).to.match(/^# named\n\nabout it$/);
      await call('ada', 'POST', '/user/repos', 201, { ...named, name: 'unnamed', readme: undefined });
      expect(await readme('unnamed')).to.equal((await readme('named')).replace('named', 'unnamed'));

      await call('ada', 'POST', '/user/repos', 201, { name: 'late', description: 'about it' });
      await refused('ada', 'PATCH', '/repos/ada/late', 400, { readme: 'Unknown', description: 'changed' });
      expect(await call('ada', 'GET', '/repos/ada/late', 200)).to.include({ empty: true, description: 'about it' });
      expect((await call('ada', 'PATCH', '/repos/ada/late', 200, { readme: 'Default' })).empty).to.be.false();
      expect(await readme('late')).to.match(/^# late\n\nabout it$/);
      // There is something now: nothing is written, and the name is checked all the same.
      const commits = () => call('ada', 'GET', '/repos/ada/late/commits', 200);
      const first = await commits();
      await call('ada', 'PATCH', '/repos/ada/late', 200, { readme: 'Default', description: 'changed' });
      await refused('ada', 'PATCH', '/repos/ada/late', 400, { readme: 'Unknown' });
      expect(await commits()).to.equal(first);
    });

    it('REP-11: a topic record has a fixed set of fields', async () => {
      await call('ada', 'PUT', '/repos/ada/lamp/topics', 204, { topics: ['brightness'] });
      const { topics } = await call('ada', 'GET', '/topics/search?q=bright', 200);
      expect(topics).to.have.length(1);
      const [topic] = topics;
      expect(Object.keys(topic)).to.only.include(['id', 'topic_name', 'repo_count', 'created', 'updated']);
      expect(topic).to.include({ topic_name: 'brightness', repo_count: 1 });
      expect(topic.id).to.be.a.number();
      for (const time of [topic.created, topic.updated]) expect(Date.parse(time)).to.be.a.number().and.above(0);
    });

    it('REP-14, REP-15: starred and watched private repositories are listed while there is access', async () => {
      await call('ada', 'POST', '/user/repos', 201, { name: 'attic', private: true });
      await call('ada', 'PUT', '/repos/ada/attic/collaborators/ben', 204, { permission: 'read' });
      const names = async (path) => (await call('ben', 'GET', path, 200)).map((one) => one.full_name);
      for (const name of ['attic', 'lamp']) {
        await call('ben', 'PUT', `/user/starred/ada/${name}`, 204);
        await call('ben', 'PUT', `/repos/ada/${name}/subscription`, 200);
      }
      expect(await names('/user/starred')).to.only.include(['ada/attic', 'ada/lamp']);
      expect(await names('/user/subscriptions')).to.only.include(['ada/attic', 'ada/lamp', 'ben/bens']);
      await call('ada', 'DELETE', '/repos/ada/attic/collaborators/ben', 204);
      expect(await names('/user/starred')).to.equal(['ada/lamp']);
      expect(await names('/user/subscriptions')).to.only.include(['ada/lamp', 'ben/bens']);
      for (const path of ['/user/starred', '/user/subscriptions']) await refused(nobody, 'GET', path, 401);
    });

    it('REP-18, REP-25: tells the watch state, and needs a sign-in for it', async () => {
      const path = '/repos/ada/tool/subscription';
      await refused('ben', 'GET', path, 404);
      await refused(nobody, 'GET', path, 401);
      await call('ben', 'PUT', path, 200);
      const { created_at, ...state } = await call('ben', 'GET', path, 200);
      expect(state).to.equal({
        subscribed: true,
        ignored: false,
        reason: null,
        url: `${server.base}/api/v1${path}`,
        repository_url: `${server.base}/api/v1/repos/ada/tool`,
      });
      expect(Date.parse(created_at)).to.be.above(0);
      await call('ben', 'DELETE', path, 204);
      await refused('ben', 'GET', path, 404);
    });

    it('REP-21, REP-22: lists and reads templates of ignore files and licences', async () => {
      const ignores = await call(nobody, 'GET', '/gitignore/templates', 200);
      expect(ignores).to.include('Node');
      const ignore = await call(nobody, 'GET', '/gitignore/templates/Node', 200);
      expect(Object.keys(ignore)).to.only.include(['name', 'source']);
      expect(ignore.name).to.equal('Node');
      expect(ignore.source).to.contain('node_modules');
      await refused(nobody, 'GET', '/gitignore/templates/Unknown', 404);

      const licences = await call(nobody, 'GET', '/licenses', 200);
      expect(licences).to.include([{ key: 'MIT', name: 'MIT', url: `${server.base}/api/v1/licenses/MIT` }]);
      const licence = await call(nobody, 'GET', '/licenses/MIT', 200);
      expect(Object.keys(licence)).to.only.include(['key', 'name', 'url', 'implementation', 'body']);
      expect(licence.body).to.contain('Permission is hereby granted');
      await refused(nobody, 'GET', '/licenses/Unknown', 404);
    });

    it('REP-24: an owner gets a fork once', async () => {
      await call('ben', 'POST', '/repos/ada/tool/forks', 202, {});
      await refused('ben', 'POST', '/repos/ada/tool/forks', 409, {});
      await refused('ben', 'POST', '/repos/ada/tool/forks', 409, { name: 'another' });
      expect(await call('ada', 'GET', '/repos/ada/tool/forks', 200)).to.have.length(1);
    });
  });

  describe('packages', () => {
    it('PKG-02, VER-07: the record of a file spells its size in lower case', async () => {
      await publish('box', '1.0');
      const files = await call('ada', 'GET', '/packages/ada/generic/box/1.0/files', 200);
      expect(files).to.have.length(1);
      expect(Object.keys(files[0])).to.only.include(['id', 'size', 'name', 'md5', 'sha1', 'sha256', 'sha512']);
      expect(files[0]).to.include({ name: 'file.txt', size: 8 });
    });

    it('PKG-03, PKG-04: lists the versions of a package and reads the latest', async () => {
      for (const version of ['2.0', '1.5']) await publish('shelf', version);
      const listed = await call('ada', 'GET', '/packages/ada/generic/shelf', 200);
      expect(listed.map(({ name, version }) => [name, version])).to.only.include([
        ['shelf', '2.0'],
        ['shelf', '1.5'],
      ]);
      const latest = await call('ada', 'GET', '/packages/ada/generic/shelf/-/latest', 200);
      // what was added last, whatever its number
      expect(latest).to.include({ type: 'generic', name: 'shelf', version: '1.5' });
      await refused('ada', 'GET', '/packages/ada/generic/unknown', 404);
      await refused('ada', 'GET', '/packages/ada/generic/unknown/-/latest', 404);
    });

    it('PKG-05, PKG-06: links a package to a repository of its owner and takes the link away', async () => {
      await publish('bench', '1');
      const at = '/packages/ada/generic/bench';
      const linked = async () => (await call('ada', 'GET', `${at}/1`, 200)).repository?.full_name;
      // one's own repository elsewhere is not found by its name, and another's package is not one's own to link
      await refused('ada', 'POST', `${at}/-/link/bens`, 404);
      await refused('ben', 'POST', `${at}/-/link/tool`, 403);
      await refused('ada', 'POST', `${at}/-/unlink`, 400);
      expect(await linked()).to.be.undefined();
      await call('ada', 'POST', `${at}/-/link/tool`, 201);
      expect(await linked()).to.equal('ada/tool');
      for (const name of ['tool', 'lamp']) await refused('ada', 'POST', `${at}/-/link/${name}`, 400);
      await refused('ben', 'POST', `${at}/-/unlink`, 403);
      expect(await linked()).to.equal('ada/tool');
      await call('ada', 'POST', `${at}/-/unlink`, 204);
      expect(await linked()).to.be.undefined();
    });
  });

  describe('webhooks', () => {
    const levels = [
      ['ada', '/repos/ada/tool/hooks', {}],
      ['ada', '/user/hooks', {}],
      ['root:password', '/admin/hooks', { is_system_webhook: 'true' }],
      ['root:password', '/admin/hooks', {}],
    ];
    const events = ['status'];

    it('HOK-01, HOK-02: hooks of repository, user, system and default have a name', async () => {
      for (const [as, path, config] of levels) {
        const option = hook(sink.url, { events, name: '  the name  ' });
        const { id, name } = await call(as, 'POST', path, 201, { ...option, config: { ...option.config, ...config } });
        expect(name).to.equal('the name');
        const kind = config.is_system_webhook ? 'system' : 'default';
        const listed = await call(as, 'GET', path === '/admin/hooks' ? `${path}?type=${kind}` : path, 200);
        expect(listed.map((one) => [one.id, one.name])).to.equal([[id, 'the name']]);
        const edited = async (body) => (await call(as, 'PATCH', `${path}/${id}`, 200, body)).name;
        expect(await edited({ events, name: ' other ' })).to.equal('other');
        expect(await edited({ events, name: null })).to.equal('other');
        expect(await edited({ events })).to.equal('other');
        await refused(as, 'PATCH', `${path}/${id}`, 422, { name: 'x'.repeat(256) });
        await refused(as, 'POST', path, 422, hook(sink.url, { name: 'x'.repeat(256) }));
        expect(await edited({ events, name: 'x'.repeat(255) })).to.equal('x'.repeat(255));
        expect(await edited({ events, name: '' })).to.equal('');
        await call(as, 'DELETE', `${path}/${id}`, 204);
      }
    });

    it('HOK-03: the overview shows the name, or else the address', async () => {
      const page = await pagesFor(server.base, 'ada', password);
      for (const [path, overview] of [
        ['/repos/ada/tool/hooks', '/ada/tool/settings/hooks'],
        ['/user/hooks', '/user/settings/hooks'],
      ]) {
        const named = await call(
          'ada',
          'POST',
          path,
          201,
          hook(`${sink.url}named`, { events, name: 'Bell & whistle' }),
        );
        const plain = await call('ada', 'POST', path, 201, hook(`${sink.url}plain`, { events }));
        const text = await page(overview);
        expect(text).to.contain('Bell &amp; whistle').and.contain(`${sink.url}plain`);
        expect(text).to.not.contain(`${sink.url}named`);
        for (const { id } of [named, plain]) await call('ada', 'DELETE', `${path}/${id}`, 204);
      }
    });

    it('HOK-05, VER-05: the older list of hosts is used instead of the newer one, with a notice at start', async () => {
      expect(server.log).to.match(/\[webhook\] ALLOWED_HOST_LIST .*is deprecated.*\[security\] ALLOWED_HOST_LIST/);
      const forbidden = await startReceiver('127.0.0.2', sink.port);
      const path = '/repos/ada/tool/hooks';
      try {
        const bad = await call('ada', 'POST', path, 201, hook(forbidden.url, { name: 'only in the newer list' }));
        const good = await call('ada', 'POST', path, 201, hook(sink.url));
        for (const { id } of [bad, good]) await call('ada', 'POST', `${path}/${id}/tests`, 204);
        await sink.heard(({ event }) => event === 'push');
        const page = await pagesFor(server.base, 'ada', password);
        const [sent] = /\/ada\/tool\/settings\/hooks\/\d+\/deliveries\/\d+/.exec(
          await page(`/ada/tool/settings/hooks/${bad.id}/deliveries`),
        );
        while ((await page(sent)).includes('No response yet')) await new Promise((resolve) => setTimeout(resolve, 20));
        expect(await page(sent)).to.contain('Requests to 127.0.0.2 are not allowed');
        expect(forbidden.received).to.equal([]);
        for (const { id } of [bad, good]) await call('ada', 'DELETE', `${path}/${id}`, 204);
      } finally {
        forbidden.close();
      }
    });

    it('HOK-20: publishing and deleting a package sends package events', async () => {
      const made = await call('ada', 'POST', '/user/hooks', 201, hook(sink.url, { events: ['package'] }));
      await publish('crate', '1.0');
      const of = (action) => (one) => one.event === 'package' && one.body.action === action;
      const { body } = await sink.heard(of('created'));
      expect(body.package).to.include({ type: 'generic', name: 'crate', version: '1.0' });
      expect([body.package.owner.login, body.sender.login]).to.equal(['ada', 'ada']);
      await call('ada', 'DELETE', '/packages/ada/generic/crate/1.0', 204);
      const { body: last } = await sink.heard(of('deleted'));
      expect(last.package).to.include({ id: body.package.id, type: 'generic', name: 'crate', version: '1.0' });
      await call('ada', 'DELETE', `/user/hooks/${made.id}`, 204);
    });

    it('HOK-24: an edit can set the package, status and workflow_job events', async () => {
      const wanted = ['package', 'status', 'workflow_job'];
      for (const [as, path] of levels.slice(0, 3)) {
        const { id } = await call(as, 'POST', path, 201, hook(sink.url, { events: ['push'] }));
        for (const chosen of [wanted, ...wanted.map((one) => [one])]) {
          const edited = await call(as, 'PATCH', `${path}/${id}`, 200, { events: chosen });
          expect(edited.events).to.only.include(chosen);
          expect((await call(as, 'GET', `${path}/${id}`, 200)).events).to.equal(edited.events);
        }
        await call(as, 'DELETE', `${path}/${id}`, 204);
      }
    });
  });

  describe('with other settings', () => {
    it('REP-14: refuses stars where they are switched off', async () => {
      await server.stop();
      server.env.MORTISE__repository__DISABLE_STARS = 'true';
      await server.start();
      await refused('ben', 'GET', '/user/starred', 403);
      await call('ben', 'GET', '/user/subscriptions', 200);
    });
  });
});
