import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, scheduledTasks } from '@mortise/plugin-sdk';
import { asActor, makeUser, startHost, submitForm, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { webhookKinds } from '../contract/webhooks.js';
import { DeliveryRow } from '../models/delivery.js';
import { HookRow } from '../models/hook.js';
import { dispatcher } from '../wiring.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const pager = definePlugin({
  name: 'webhook-pager',
  version: '1.0.0',
  sdk: '^1.0.0',
  requires: { webhooks: '^1.0.0' },
  register(host) {
    host.contribute(webhookKinds, {
      key: 'pager',
      label: 'Pager',
      settings: [
        {
          name: 'level',
          label: 'Level',
          type: 'select',
          options: ['low', 'high'].map((value) => ({ value, label: value })),
        },
        { name: 'quiet', label: 'Quiet', type: 'checkbox' },
        { name: 'key', label: 'Key', type: 'password', required: true },
        { name: 'repeat', label: 'Repeat', type: 'number', min: 1, max: 9 },
      ],
      request: ({ hook }) => ({ headers: { 'x-key': hook.settings.key! }, body: JSON.stringify(hook.settings) }),
    });
  },
});

describe('fields of a webhook kind', () => {
  let host: TestHost;
  let ada: TestClient;
  let id: number;
  const address = 'http://127.0.0.1:9/';

  const config = (more: Record<string, string | undefined> = {}) => ({
    url: address,
    content_type: 'json',
    level: 'high',
    quiet: 'true',
    key: 'open sesame',
    repeat: '3',
    ...more,
  });
  const create = (more?: Record<string, string | undefined>) =>
    ada.inject({
      method: 'POST',
      url: '/api/v1/user/hooks',
      payload: { type: 'pager', active: true, events: ['push'], config: config(more) },
    });

  before(async () => {
    host = await startHost({
      plugins: [pager, 'webhooks'],
      settings: {
        security: { ALLOWED_HOST_LIST: '*' },
        'cron.cleanup_hook_task_table': { CLEANUP_TYPE: 'OlderThan' },
      },
    });
    ada = host.as(await makeUser(host, 'ada'));
  });
  after(() => host.close());

  it('are checked by their type', async () => {
    for (const wrong of [{ level: 'middle' }, { quiet: 'perhaps' }, { repeat: 'often' }, { repeat: '10' }, { key: '' }])
      expect((await create(wrong)).statusCode, JSON.stringify(wrong)).to.equal(422);
    const made = await create();
    expect(made.statusCode).to.equal(201);
    id = made.json.id;
  });

  it('a password is shown to nobody and lies sealed', async () => {
    const shown = await ada.inject(`/api/v1/user/hooks/${id}`);
    expect(shown.json.config).to.include({ level: 'high', quiet: 'true', repeat: '3' });
    expect(shown.payload).to.not.contain('sesame');
    const row = await host.database.query(HookRow).findById(id);
    expect(JSON.stringify(row)).to.not.contain('sesame');
    const page = await ada.inject({ url: `/user/settings/hooks/${id}`, headers: { accept: 'text/html' } });
    expect(page.payload).to.contain('type="password"').and.contain('<option').and.contain('type="checkbox"');
    expect(page.payload).to.contain('type="number"').and.not.contain('sesame');
  });

  it('an empty password of the form stays as it was; a box that is not ticked is false', async () => {
    const saved = await submitForm(ada, `/user/settings/hooks/${id}`, {
      url: address,
      setting_level: 'low',
      setting_key: '',
      setting_repeat: '2',
      events: 'push',
      active: 'true',
    });
    expect(saved.statusCode).to.equal(303);
    const { json } = await ada.inject(`/api/v1/user/hooks/${id}`);
    expect(json.config).to.include({ level: 'low', quiet: 'false', repeat: '2' });
  });

  it('a password that nobody is shown is not sent to another host', async () => {
    const change = (more: object) =>
      ada.inject({ method: 'PATCH', url: `/api/v1/user/hooks/${id}`, payload: { config: more } });
    const evil = 'http://evil.example/';
    const refused = await change({ url: evil });
    const why = 'config has another host than before. Enter config.key again.';
    expect([refused.statusCode, refused.json.message]).to.equal([422, why]);
    expect((await ada.inject(`/api/v1/user/hooks/${id}`)).json.config.url).to.equal(address);
    expect((await change({ url: `${address}other` })).statusCode).to.equal(200);
    expect((await change({ url: evil, key: 'another' })).statusCode).to.equal(200);
    expect((await change({ url: address, key: 'open sesame' })).statusCode).to.equal(200);
  });

  it('issue 30: deliveries of OLDER_THAN are removed with CLEANUP_TYPE = OlderThan, however many there are', async () => {
    const week = 7 * 86_400_000;
    const store = (state: DeliveryRow['state'], delivered_at: number, uuid: string) =>
      host.database.query(DeliveryRow).insert({
        ...{ hook_id: id, uuid, once_key: null, event: 'push', event_type: 'push', payload: {}, description: null },
        ...{ state, delivered_at, created_at: Date.now() - 2 * week },
      });
    await host.database.write(async () => {
      for (let n = 0; n < 210; n++) await store(n % 2 ? 'failed' : 'succeeded', Date.now() - week - 1, `old ${n}`);
      await store('succeeded', Date.now() - week + 600_000, 'young');
      await store('waiting', 0, 'waiting');
    });
    expect(await host.services.get(scheduledTasks).run('cleanup_hook_task_table')).to.be.true();
    await host.settle();
    const left = await host.database.query(DeliveryRow).select('uuid').orderBy('id');
    expect(left.map(({ uuid }) => uuid)).to.equal(['young', 'waiting']);
    await host.database.write(() => host.database.query(DeliveryRow).delete().execute());
  });

  it('refuses in the language of who reads it, and in English over the API', async () => {
    const send = (fields: Record<string, string>) =>
      submitForm(
        ada,
        `/user/settings/hooks/${id}`,
        { url: address, setting_level: 'low', setting_repeat: '2', ...fields },
        { 'accept-language': 'de' },
      );
    const wrong = await send({ setting_repeat: '10' });
    expect(wrong.statusCode).to.equal(422);
    expect(wrong.payload).to.contain([
      'darf höchstens',
      'Ereignisse',
      'Branch-Filter',
      '<code>{main,release/*}</code>',
    ]);
    expect((await send({ url: 'ftp://example.com' })).payload).to.contain('eine HTTP- oder HTTPS-Adresse sein.');
    const list = await ada.inject({ url: '/user/settings/hooks', headers: { 'accept-language': 'de' } });
    expect(list.payload).to.contain('Noch nie gesendet');
    expect((await create({ repeat: '10' })).json.message).to.match(/^config\.repeat must lie between/);
  });
});

describe('issue 30: [security] DISABLE_WEBHOOKS', () => {
  it('answers 403 for pages and the API, offers no pages, and sends nothing', async () => {
    const security = { ALLOWED_HOST_LIST: '*', DISABLE_WEBHOOKS: true };
    const host = await startHost({ plugins: [pager, 'webhooks', 'organizations', 'admin'], settings: { security } });
    try {
      const actor = await makeUser(host, 'ada');
      const ada = host.as(actor);
      const root = host.as({ ...(await makeUser(host, 'root')), isAdmin: true });
      const make = (url: string, payload: object) => ada.inject({ method: 'POST', url: `/api/v1${url}`, payload });
      await make('/user/repos', { name: 'desk' });
      await make('/orgs', { username: 'crew' });
      const urls = [
        '/api/v1/repos/ada/desk/hooks',
        '/api/v1/orgs/crew/hooks',
        '/api/v1/user/hooks',
        '/api/v1/admin/hooks',
        '/ada/desk/settings/hooks',
        '/org/crew/settings/hooks',
        '/user/settings/hooks',
        '/-/admin/hooks/system',
      ];
      for (const url of urls)
        expect([url, (await (url.includes('admin') ? root : ada).inject(url)).statusCode]).to.equal([url, 403]);
      const { statusCode, json } = await ada.inject('/api/v1/repos/ada/desk/hooks');
      expect([statusCode, json.message]).to.equal([403, 'Webhooks are disabled on this site.']);
      expect((await host.inject('/api/v1/user/hooks')).statusCode).to.equal(401);
      for (const page of ['/ada/desk/settings', '/org/crew/settings', '/user/settings'])
        expect((await ada.inject(page)).payload, page).to.not.include('settings/hooks');
      // as it was before the setting, with a delivery that waits
      const hooks = host.services.get(dispatcher);
      const owner = { ownerKind: 'user', ownerId: actor.id } as const;
      const config = { url: 'http://127.0.0.1:9/', content_type: 'json', level: 'high', key: 'open sesame' };
      const made = await hooks.hooks.create(
        owner,
        { type: 'pager', active: true, events: ['push'], config },
        asActor(actor),
      );
      await hooks.deliver({ eventType: 'push', ownerId: actor.id, payload: () => ({}) });
      const deliveries = () => host.database.knex()('hook_delivery').select('state');
      expect(await deliveries()).to.equal([]);
      await hooks.deliverTo(made.id, { eventType: 'push', payload: () => ({}) });
      await host.settle();
      expect(await deliveries()).to.equal([{ state: 'failed' }]);
    } finally {
      await host.close();
    }
  });
});
