import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { setDefaultAutoSelectFamilyAttemptTimeout, type AddressInfo } from 'node:net';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous, definePlugin, type PluginDefinition } from '@mortise/plugin-sdk';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts, type Account } from '@mortise/accounts/api';
import { announcementKinds, announcements, type NewAnnouncement } from '@mortise/announcements/api';
import { gitReader, gitWriter, refUpdates, zeroOid } from '@mortise/git/api';
import { repositories, type Repository } from '@mortise/repositories/api';
import { webhookKinds, webhooks } from '../api.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
}

/** A kind and an event of a plugin that `webhooks` has never heard of. */
const stranger: PluginDefinition = definePlugin({
  name: 'stranger',
  version: '1.0.0',
  sdk: '^1.0.0',
  requires: { webhooks: '^1.0.0', announcements: '^1.0.0' },
  register(host) {
    host.contribute(announcementKinds, {
      key: 'greeting',
      label: 'Greeting',
      describe: async ({ resource, actorId }) => ({
        title: `${actorId} greets ${resource.title}`,
        url: 'http://localhost/hello',
        tone: 'positive',
      }),
      payload: async ({ action, data }) => (action === 'whispered' ? undefined : { action, ...data }),
    });
    host.contribute(webhookKinds, { key: 'bare', label: 'Bare', request: () => undefined });
    host.contribute(webhookKinds, {
      key: 'plain',
      label: 'Plain',
      settings: [{ name: 'room', label: 'Room', required: true }],
      request: ({ event, payload, hook }) =>
        event === 'delete'
          ? undefined
          : { headers: { 'x-room': hook.settings.room! }, body: JSON.stringify({ event, payload }) },
    });
  },
});

describe('deliveries', () => {
  let host: TestHost;
  let sink: Server;
  let address: string;
  let ada: Account;
  let as: TestClient;
  let repository: Repository;
  let answers: { status: number; headers?: Record<string, string> }[] = [];
  const got: Got[] = [];

  before(async () => {
    sink = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        got.push({ headers: request.headers, body, path: request.url ?? '' });
        const answer = answers.shift() ?? { status: 200 };
        response.writeHead(answer.status, answer.headers).end('thanks');
      });
    });
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/in`;
    // The receiver is this same process: when it stands still, no time-out may end a delivery, nor an attempt at the
    // first address of `localhost`.
    setDefaultAutoSelectFamilyAttemptTimeout(100_000);
    host = await startHost({
      plugins: [stranger, 'webhooks', 'forks'],
      settings: {
        security: { ALLOWED_HOST_LIST: '*' },
        webhook: { DELIVER_TIMEOUT: 100 },
        metrics: { ENABLED: true },
      },
    });
    ada = await host.services
      .get(accounts)
      .create({ name: 'ada', email: 'ada@example.com', password: 'correct horse' });
    as = host.as(ada);
    repository = await host.services
      .get(repositories)
      .create(ada, { name: 'tool', defaultBranch: 'main' }, { ...anonymous, kind: 'user', id: ada.id, name: 'ada' });
    await host.settle();
  });
  after(async () => {
    await host?.close();
    sink?.close();
  });
  beforeEach(() => {
    got.length = 0;
    answers = [];
  });

  const at = '/api/v1/repos/ada/tool/hooks';
  const make = async (more: object = {}, config: object = {}) => {
    const answer = await as.inject({
      method: 'POST',
      url: at,
      payload: {
        type: 'plain',
        active: true,
        events: ['push', 'create', 'delete', 'greeting'],
        config: { url: address, content_type: 'json', room: 'hall', ...config },
        ...more,
      },
    });
    return { id: answer.json?.id as number, answer };
  };
  const drop = (id: number) => as.inject({ method: 'DELETE', url: `${at}/${id}` });
  const greet = (once?: string) =>
    host.services
      .get(webhooks)
      .deliver({ eventType: 'greeting', repositoryId: repository.id, once, payload: () => ({ hello: 'there' }) });
  const delivery = () =>
    host.database.knex()('hook_delivery').orderBy('id', 'desc').first() as Promise<Record<string, string | number>>;

  it('are counted for whoever watches: those that wait, and those that failed (F11)', async () => {
    const counted = async (state: string) => {
      const { payload } = await host.inject('/metrics');
      return Number(new RegExp(`^mortise_webhook_deliveries\\{state="${state}"\\} (\\d+)$`, 'm').exec(payload)?.[1]);
    };
    const failed = await counted('failed');
    const { id } = await make();
    answers = [{ status: 404 }];
    await greet();
    expect(await counted('waiting')).to.equal(1);
    await host.settle();
    expect([await counted('waiting'), await counted('failed')]).to.equal([0, failed + 1]);
    await drop(id);
  });

  it('never gives secrets back, nor keeps them readable (HOK-04)', async () => {
    const { id, answer } = await make({ authorization_header: 'Bearer abc', name: '  Bell ' }, { secret: 'hush' });
    expect(answer.statusCode).to.equal(201);
    expect(answer.json.name).to.equal('Bell');
    expect(answer.json.authorization_header).to.equal('');
    expect(answer.json.config).to.equal({ url: address, content_type: 'json', room: 'hall' });
    const row = JSON.stringify(await host.database.knex()('webhook').where({ id }).first());
    expect(row).to.not.include('hush');
    expect(row).to.not.include('Bearer');
    await drop(id);
  });

  it('hears what is announced, once, with its line', async () => {
    const { id } = await make();
    const greeting = {
      id: 'greeting-1',
      kind: 'greeting',
      action: 'shouted',
      resource: { id: 7, title: 'everybody', repositoryId: repository.id },
      actorId: ada.id,
      data: { word: 'hello' },
    };
    const announce = (...list: object[]) => host.services.get(announcements).announce(list as NewAnnouncement[]);
    await announce(greeting, { ...greeting, id: 'greeting-2', action: 'whispered' }, { ...greeting, kind: 'unknown' });
    await announce(greeting);
    await host.settle();
    expect(got.map(({ body }) => body)).to.equal([
      JSON.stringify({ event: 'greeting', payload: { action: 'shouted', word: 'hello' } }),
    ]);
    expect(JSON.parse(String((await delivery()).description))).to.equal({
      title: `${ada.id} greets everybody`,
      url: 'http://localhost/hello',
      tone: 'positive',
    });
    await drop(id);
  });

  it('gives hooks of a template on without their secrets', async () => {
    const ids = [
      (await make({ type: 'bare', authorization_header: 'Bearer abc' }, { secret: 'hush' })).id,
      (await make()).id,
    ];
    await as.inject({ method: 'PATCH', url: '/api/v1/repos/ada/tool', payload: { template: true } });
    const body = (more: object) => ({
      method: 'POST',
      url: '/api/v1/repos/ada/tool/generate',
      payload: { owner: 'ada', ...more },
    });
    expect((await as.inject(body({ name: 'with', webhooks: true }))).statusCode).to.equal(201);
    expect((await as.inject(body({ name: 'without', topics: true }))).statusCode).to.equal(201);
    const hooks = (await as.inject('/api/v1/repos/ada/with/hooks')).json;
    expect(hooks.map(({ type, active }: { type: string; active: boolean }) => [type, active])).to.equal([
      ['bare', true],
    ]);
    const row = await host.database.knex()('webhook').where({ id: hooks[0].id }).first();
    expect([row.secret, row.authorization]).to.equal(['', '']);
    expect((await as.inject('/api/v1/repos/ada/without/hooks')).json).to.equal([]);
    for (const name of ['with', 'without']) await as.inject({ method: 'DELETE', url: `/api/v1/repos/ada/${name}` });
    for (const id of ids) await drop(id);
  });

  it('tells of pushes, new and deleted references, one each', async () => {
    const { id } = await make();
    const writer = host.services.get(gitWriter);
    const person = { name: 'Ada', email: 'ada@example.com', time: Date.now(), zone: '+0200' };
    const tree = await writer.writeTree(repository.id, undefined, [{ path: 'a.txt', content: 'a' }]);
    const commit = await writer.writeCommit(repository.id, {
      tree,
      parents: [],
      author: person,
      committer: person,
      message: 'one\n',
    });
    const pusher = { ...anonymous, kind: 'user' as const, id: ada.id, name: 'ada' };
    const apply = (ref: string, old: string, next: string) =>
      host.services
        .get(refUpdates)
        .apply({ repositoryId: repository.id, updates: [{ ref, old, new: next }], pusher, source: 'api' });
    await apply('refs/heads/main', zeroOid, commit);
    await apply('refs/tags/v1', zeroOid, commit);
    await apply('refs/tags/v1', commit, zeroOid);
    await host.settle();
    const heard = got.map(({ body }) => JSON.parse(body) as { event: string; payload: Record<string, any> }); // eslint-disable-line @typescript-eslint/no-explicit-any
    // the kind has nothing to say about deletions
    expect(heard.map(({ event, payload }) => `${event} ${payload.ref}`)).to.only.include([
      'create main',
      'push refs/heads/main',
      'create v1',
      'push refs/tags/v1',
      'push refs/tags/v1',
    ]);
    const push = heard.find(({ event }) => event === 'push')!.payload;
    expect(push.total_commits).to.equal(1);
    expect(push.commits[0]).to.include({ id: commit, added: ['a.txt'], message: 'one\n' });
    expect(push.commits[0].author).to.equal({ name: 'Ada', email: 'ada@example.com', username: 'ada' });
    expect(push.commits[0].timestamp).to.match(/\+02:00$/);
    expect(push.repository.full_name).to.equal('ada/tool');
    expect(push.pusher.login).to.equal('ada');
    await drop(id);
  });

  it('compares what a push brought: a new branch with where it left, a new or moved tag with nothing', async () => {
    const { id } = await make();
    const writer = host.services.get(gitWriter);
    const who = { name: 'Ada', email: 'ada@example.com', time: Date.now(), zone: '+0000' };
    const first = (await host.services.get(gitReader).open(repository.id).branch('main'))!.oid;
    const tree = await writer.writeTree(repository.id, undefined, [{ path: 'b.txt', content: 'b' }]);
    const second = await writer.writeCommit(repository.id, {
      tree,
      parents: [first],
      author: who,
      committer: who,
      message: 'two\n',
    });
    const pusher = { ...anonymous, kind: 'user' as const, id: ada.id, name: 'ada' };
    const apply = async (ref: string, old: string, next: string) => {
      const updates = [{ ref, old, new: next }];
      await host.services.get(refUpdates).apply({ repositoryId: repository.id, updates, pusher, source: 'api' });
      await host.settle();
      const heard = got
        .splice(0)
        .map(({ body }) => JSON.parse(body) as { event: string; payload: Record<string, any> }); // eslint-disable-line @typescript-eslint/no-explicit-any
      const push = heard.find(({ event }) => event === 'push')!.payload;
      return [heard.map(({ event }) => event).sort(), (push.compare_url as string).split('/compare/')[1]];
    };
    const both = ['create', 'push'];
    expect(await apply('refs/heads/copy', zeroOid, first)).to.equal([both, `main...${first}`]);
    expect(await apply('refs/heads/on', zeroOid, second)).to.equal([both, `${first}...${second}`]);
    expect(await apply('refs/tags/t', zeroOid, first)).to.equal([both, `${zeroOid}...${first}`]);
    expect(await apply('refs/tags/t', first, second)).to.equal([both, `${zeroOid}...${second}`]);
    await drop(id);
  });

  it('sends the same once, however often it is told', async () => {
    const { id } = await make();
    await greet('g1');
    await greet('g1');
    await host.settle();
    expect(got).to.have.length(1);
    await drop(id);
  });

  it('leaves the authorization at home when a redirect leads elsewhere, and masks it (HOK-25)', async () => {
    const { id } = await make({ authorization_header: 'Bearer abc' });
    answers = [{ status: 307, headers: { location: address.replace('127.0.0.1', 'localhost') } }, { status: 200 }];
    await greet();
    await host.settle();
    expect(got.map(({ headers }) => headers.authorization)).to.equal(['Bearer abc', undefined]);
    const row = await delivery();
    expect(row.state).to.equal('succeeded');
    expect(row.request).to.include('******').and.not.include('abc');
    await drop(id);
  });

  it('tries again while the receiver is unwell, and gives up where that makes no sense', async () => {
    const { id } = await make();
    answers = [{ status: 503 }, { status: 200 }];
    await greet();
    await host.events.deliverAll();
    await host.jobs.runDue();
    expect((await delivery()).state).to.equal('waiting');
    await host.jobs.runDue(Date.now() + 60_000);
    expect((await delivery()).state).to.equal('succeeded');
    answers = [{ status: 410 }];
    await greet();
    await host.settle();
    const row = await delivery();
    expect(row.state).to.equal('failed');
    expect(row.attempts).to.equal(1);
    await drop(id);
  });

  it('tests a hook whatever it listens to, but none that is off or has nothing to send (HOK-21)', async () => {
    const { id } = await make({ events: ['greeting'], branch_filter: 'nothing' });
    const test = async (query = '') =>
      (await as.inject({ method: 'POST', url: `${at}/${id}/tests${query}` })).statusCode;
    expect(await test()).to.equal(204);
    expect(await test('?ref=nowhere')).to.equal(404);
    await host.settle();
    const [one] = got.splice(0).map(({ body }) => JSON.parse(body));
    expect(one.event).to.equal('push');
    expect(one.payload.commits.map((commit: object) => ({ ...commit }))[0]).to.include({ added: null, modified: null });
    expect((await as.inject({ method: 'PATCH', url: `${at}/${id}`, payload: { active: false } })).statusCode).to.equal(
      200,
    );
    expect(await test()).to.equal(204);
    await host.settle();
    expect(got).to.be.empty();
    await drop(id);
  });

  it('forgets an authorization that an edit does not give, as it may be meant for another receiver', async () => {
    const { id } = await make({ authorization_header: 'Bearer abc' });
    const stored = async () => (await host.database.knex()('webhook').where({ id }).first()).authorization !== '';
    const edit = async (payload: object) => {
      expect((await as.inject({ method: 'PATCH', url: `${at}/${id}`, payload })).statusCode).to.equal(200);
      return stored();
    };
    expect(await stored()).to.be.true();
    expect(await edit({ authorization_header: 'Bearer def' })).to.be.true();
    expect(await edit({ active: true })).to.be.false();
    expect(await edit({ authorization_header: 'Bearer def' })).to.be.true();
    expect(await edit({ authorization_header: '' })).to.be.false();
    await drop(id);
  });

  it('the form keeps secrets that are not typed again, unless they are to be removed', async () => {
    const { id } = await make({ authorization_header: 'Bearer abc' }, { secret: 'hush' });
    const page = `/ada/tool/settings/hooks/${id}`;
    const stored = async () => {
      const row = await host.database.knex()('webhook').where({ id }).first();
      return [row.secret !== '', row.authorization !== ''];
    };
    const save = async (more: object = {}) => {
      const payload = { name: '', url: address, setting_room: 'hall', active: 'true', events: 'push', ...more };
      expect((await as.inject({ method: 'POST', url: page, payload })).statusCode).to.equal(303);
      return stored();
    };
    expect((await as.inject(page)).payload).to.include('name="authorization_remove"');
    expect(await save()).to.equal([true, true]);
    expect(await save({ authorization_remove: 'true' })).to.equal([true, false]);
    expect(await save({ secret_remove: 'true' })).to.equal([false, false]);
    expect((await as.inject(page)).payload).to.not.include('name="authorization_remove"');
    await drop(id);
  });

  it('S11: keeps the password of an address unreadable, shows a mask, and sends it to where it belongs', async () => {
    const secret = 'p@ss/wörd';
    const withPassword = (url: string, password = encodeURIComponent(secret)) =>
      url.replace('http://', `http://bell:${password}@`);
    const masked = withPassword(address, '******');
    const { id, answer } = await make({}, { url: withPassword(address) });
    expect(answer.json.config.url).to.equal(masked);
    const patch = (url: string) =>
      as.inject({
        method: 'PATCH',
        url: `${at}/${id}`,
        payload: { config: { url }, active: true, events: ['greeting'] },
      });
    const expectAuthorization = async (expected: string | undefined) => {
      got.length = 0;
      await greet();
      await host.settle();
      expect(got.map(({ headers, path }) => [headers.authorization, path])).to.equal([[expected, '/in']]);
    };
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    await expectAuthorization(basic(`bell:${secret}`));
    // what a client was shown comes back
    expect((await patch(masked)).json.config.url).to.equal(masked);
    await expectAuthorization(basic(`bell:${secret}`));
    const elsewhere = masked.replace('127.0.0.1', 'localhost');
    for (const other of [elsewhere, masked.replace('bell:', 'gong:')])
      expect((await patch(other)).statusCode, other).to.equal(422);
    await expectAuthorization(basic(`bell:${secret}`));
    expect((await patch(withPassword(address, 'new'))).statusCode).to.equal(200);
    await expectAuthorization(basic('bell:new'));
    const pages = await Promise.all(
      ['', `/${id}`, `/${id}/deliveries/${(await delivery()).id}`].map((path) =>
        as.inject({ url: `/ada/tool/settings/hooks${path}` }),
      ),
    );
    const rows = [await host.database.knex()('webhook'), await host.database.knex()('hook_delivery')];
    for (const text of [...pages.map(({ payload }) => payload), JSON.stringify(rows)]) {
      expect(text).to.not.include(secret).and.not.include(encodeURIComponent(secret)).and.not.include('bell:new');
    }
    expect((await patch(address)).json.config.url).to.equal(address);
    await expectAuthorization(undefined);
    await drop(id);
  });

  it('S11: hides passwords that an earlier version stored in addresses', async () => {
    const { id } = await make();
    const clear = address.replace('http://', 'http://bell:hush@');
    await host.database.write(async () => {
      await host.database.knex()('webhook').where({ id }).update({ url: clear });
    });
    await greet();
    await host.settle();
    await host.database.write(async () => {
      const request = JSON.stringify({ method: 'POST', url: clear, headers: {}, body: '' });
      await host.database.knex()('hook_delivery').where({ hook_id: id }).update({ request });
    });
    await (host.services.get(webhooks).hooks as unknown as { hidePasswords(): Promise<void> }).hidePasswords();
    const rows = [await host.database.knex()('webhook'), await host.database.knex()('hook_delivery')];
    expect(JSON.stringify(rows)).to.not.include('hush').and.to.include('bell:******@');
    got.length = 0;
    await greet();
    await host.settle();
    expect(got[0]!.headers.authorization).to.equal(`Basic ${Buffer.from('bell:hush').toString('base64')}`);
    await drop(id);
  });

  it('S5: deliveries share their places by account', async () => {
    const other = await host.services
      .get(repositories)
      .create(ada, { name: 'other' }, { ...anonymous, kind: 'user', id: ada.id, name: 'ada' });
    const ben = await host.services
      .get(accounts)
      .create({ name: 'bea', email: 'bea@example.com', password: 'correct horse' });
    const levels = host.services.get(webhooks).hooks;
    const option = {
      type: 'plain',
      active: true,
      events: ['greeting'],
      config: { url: address, content_type: 'json', room: 'hall' },
    };
    const owners = [
      { ownerKind: 'repository', ownerId: repository.id },
      { ownerKind: 'repository', ownerId: other.id },
      { ownerKind: 'user', ownerId: ada.id },
      { ownerKind: 'user', ownerId: ben.id },
      { ownerKind: 'system', ownerId: 0 },
    ] as const;
    for (const place of owners) await levels.create(place, option, anonymous);
    for (const repositoryId of [repository.id, other.id, undefined])
      await host.services.get(webhooks).deliver({
        eventType: 'greeting',
        repositoryId,
        ownerId: repositoryId ? undefined : ben.id,
        payload: () => ({}),
      });
    const jobs = (await host.database.knex()('job').where({ name: 'webhooks.deliver', state: 'waiting' })) as {
      payload: string;
      group_key: string;
    }[];
    const groups = new Map<string, Set<string>>();
    for (const { payload, group_key: group } of jobs) {
      const row = await host.database
        .knex()('hook_delivery')
        .join('webhook', 'webhook.id', 'hook_id')
        .where('hook_delivery.id', (JSON.parse(payload) as { deliveryId: number }).deliveryId)
        .first('owner_kind', 'owner_id');
      const owner =
        row.owner_kind === 'user' && row.owner_id === ben.id ? 'ben' : row.owner_kind === 'system' ? 'site' : 'ada';
      groups.set(owner, (groups.get(owner) ?? new Set()).add(group));
    }
    expect([...groups.keys()].sort()).to.equal(['ada', 'ben', 'site']);
    expect([...groups.values()].map((keys) => keys.size)).to.equal([1, 1, 1]);
    expect(new Set([...groups.values()].flatMap((keys) => [...keys])).size).to.equal(3);
    await host.settle();
    for (const place of owners) await levels.deleteAll(place);
  });

  it('refuses what is wrong with 422', async () => {
    for (const [option, config] of [
      [{ type: 'pigeon' }, {}],
      [{}, { url: 'nowhere' }],
      [{}, { url: 'ftp://example.com' }],
      [{}, { content_type: 'yaml' }],
      [{}, { room: '' }],
      [{ branch_filter: '{' }, {}],
      [{ name: 'x'.repeat(256) }, {}],
    ] as const) {
      expect((await make(option, config)).answer.statusCode).to.equal(422);
    }
  });

  it('is for administrators of the repository only', async () => {
    const ben = await host.services
      .get(accounts)
      .create({ name: 'ben', email: 'ben@example.com', password: 'correct horse' });
    expect((await host.as(ben).inject(at)).statusCode).to.equal(403);
    expect((await host.inject(at)).statusCode).to.equal(401);
  });

  it('has pages: list, form, history, and sending again', async () => {
    const { id } = await make({ name: 'Bell' });
    await greet();
    await host.settle();
    const base = '/ada/tool/settings/hooks';
    const list = await as.inject(base);
    expect(list.statusCode).to.equal(200);
    expect(list.payload).to.include('Bell');
    expect((await as.inject(`${base}/new?type=plain`)).payload).to.include('setting_room');
    const page = await as.inject(`${base}/${id}`);
    expect(page.payload).to.include('Recent deliveries');
    const row = await delivery();
    const shown = await as.inject(`${base}/${id}/deliveries/${row.id}`);
    expect(shown.payload).to.include('thanks');
    got.length = 0;
    const again = await as.inject({
      method: 'POST',
      url: `${base}/${id}/deliveries/${row.id}/redeliver`,
      payload: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(again.statusCode).to.equal(303);
    await host.settle();
    expect(got).to.have.length(1);
    await drop(id);
  });

  it('has the same pages for an account', async () => {
    const base = '/user/settings/hooks';
    expect((await as.inject(base)).payload).to.include('No webhooks yet');
    const form = (payload: object) => ({
      method: 'POST' as const,
      url: `${base}/new?type=plain`,
      payload: new URLSearchParams(payload as Record<string, string>).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const wrong = await as.inject(form({ url: 'nowhere', setting_room: 'hall', content_type: 'json' }));
    expect(wrong.statusCode).to.equal(422);
    expect(wrong.payload).to.include('nowhere').and.include('hall');
    const made = await as.inject(
      form({ url: address, setting_room: 'hall', content_type: 'json', events: 'push', active: 'true' }),
    );
    expect(made.statusCode).to.equal(303);
    expect((await as.inject(String(made.headers.location))).statusCode).to.equal(200);
    const gone = await as.inject({
      method: 'POST',
      url: `${String(made.headers.location)}/delete`,
      payload: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(gone.statusCode).to.equal(303);
    expect((await as.inject('/api/v1/user/hooks')).json).to.equal([]);
  });

  it('forgets the hooks of a deleted repository and tells its owner’s', async () => {
    const own = await as.inject({
      method: 'POST',
      url: '/api/v1/user/hooks',
      payload: {
        type: 'plain',
        active: true,
        events: ['repository'],
        config: { url: address, content_type: 'json', room: 'own' },
      },
    });
    expect(own.statusCode).to.equal(201);
    await make();
    expect((await as.inject({ method: 'DELETE', url: '/api/v1/repos/ada/tool' })).statusCode).to.equal(204);
    await host.settle();
    const heard = got.map(
      ({ body }) =>
        JSON.parse(body) as { event: string; payload: { action: string; repository: { full_name: string } } },
    );
    expect(heard.map(({ event, payload }) => `${event} ${payload.action} ${payload.repository.full_name}`)).to.equal([
      'repository deleted ada/tool',
    ]);
    expect(await host.database.knex()('webhook').where({ owner_kind: 'repository' })).to.have.length(0);
  });
});
