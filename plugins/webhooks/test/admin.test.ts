import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { repositories } from '@mortise/repositories/api';
import { send, startScene, type Scene } from '@mortise/repositories/testing';
import { webhooks } from '../contract/webhooks.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('webhooks of the site, for administrators', () => {
  let scene: Scene;
  const url = '/-/admin/hooks';
  const form = { url: 'http://127.0.0.1:9/x', content_type: 'json', events: 'push', active: 'true' };

  before(async () => {
    scene = await startScene({ plugins: ['webhooks', 'webhook-mortise', 'admin', 'organizations'] });
  });
  after(() => scene.host.close());

  it('are made on pages: system ones and those of new repositories apart', async () => {
    const { root, ada } = scene;
    for (const kind of ['system', 'default']) {
      const made = await submitForm(root, `${url}/${kind}/new?type=mortise`, { ...form, name: `the ${kind} one` });
      expect([made.statusCode, made.headers.location!.startsWith(`${url}/${kind}/`)], kind).to.equal([303, true]);
    }
    const system = (await root.inject(`${url}/system`)).payload;
    expect(system).to.include(['the system one', 'System webhooks', 'Default webhooks', 'aria-current="page"']);
    expect(system).not.to.include('the default one');
    expect((await root.inject(`${url}/default`)).payload).to.include('the default one');
    const { json } = await send(root, 'GET', '/admin/hooks?type=all');
    expect(json).to.have.length(2);
    await send(ada, 'POST', '/user/repos', { name: 'plane' });
    expect((await send(ada, 'GET', '/repos/ada/plane/hooks')).json).to.have.length(1);
  });

  it('ADM-04, ADM-05: a system hook and a default hook are made over the API, and listed apart', async () => {
    const { root } = scene;
    const ids = async (query = '') =>
      ((await send(root, 'GET', `/admin/hooks${query}`)).json as { id: number }[]).map(({ id }) => id);
    const before = { system: await ids('?type=system'), default: await ids('?type=default') };
    const make = (word?: string) =>
      send(root, 'POST', '/admin/hooks', {
        type: 'mortise',
        active: true,
        events: ['push'],
        config: { url: form.url, content_type: 'json', ...(word && { is_system_webhook: word }) },
      });
    expect((await make('maybe')).statusCode).to.equal(422);
    const [system, byDefault] = [await make('true'), await make()];
    expect([system.statusCode, byDefault.statusCode]).to.equal([201, 201]);
    const own = { system: system.json.id as number, default: byDefault.json.id as number };
    for (const kind of ['system', 'default'] as const)
      expect((await ids(`?type=${kind}`)).sort(), kind).to.equal([...before[kind], own[kind]].sort());
    expect(await ids()).to.equal(await ids('?type=system'));
    expect(await ids('?type=all')).to.include(Object.values(own));
    for (const id of Object.values(own)) await send(root, 'DELETE', `/admin/hooks/${id}`);
  });

  it('are paged, and for administrators only', async () => {
    const { root, ada } = scene;
    await submitForm(root, `${url}/system/new?type=mortise`, { ...form, name: 'the second' });
    const second = (await root.inject(`${url}/system?limit=1&page=2`)).payload;
    expect(second).to.include(['the second', 'rel="prev"']);
    expect(second).not.to.include('the system one');
    for (const kind of ['system', 'default']) expect((await ada.inject(`${url}/${kind}`)).statusCode).to.equal(403);
    expect((await submitForm(ada, `${url}/system/new?type=mortise`, form)).statusCode).to.equal(403);
  });

  it('are made, listed and deleted by command', async () => {
    const { host } = scene;
    const create = (args: Record<string, string | boolean>) =>
      host.command('admin hook create', { url: 'http://127.0.0.1:9/cli', ...args }, { input: 'a secret\n' });
    await create({ level: 'system', events: 'push, issues', secretStdin: true });
    await expect(create({ level: 'repository' })).to.reject(/system or default/);
    await expect(create({ level: 'system', type: 'pigeon' })).to.reject();
    await expect(create({ level: 'system', url: 'nowhere' })).to.reject();
    const lines = await host.command('admin hook list');
    const made = lines.find((line) => line.endsWith('/cli'))!.split('\t');
    expect(made.slice(1, 4)).to.equal(['system', 'mortise', 'true']);
    expect(made[4]).to.include('push,').and.include('issues');
    expect(lines.join('\n')).not.to.include('a secret');
    await host.command('admin hook delete', { id: made[0]! });
    expect(await host.command('admin hook list')).to.have.length(lines.length - 1);
    await expect(host.command('admin hook delete', { id: made[0]! })).to.reject();
  });

  it('HOK-01: an event reaches the hooks of all five levels that it concerns', async () => {
    const { root, ada, host } = scene;
    const hook = (more: object = {}) => ({
      type: 'mortise',
      active: true,
      events: ['fork'],
      config: { url: 'http://127.0.0.1:9/x', content_type: 'json', ...more },
    });
    const make = async (client: typeof ada, path: string, payload: object) =>
      expect((await send(client, 'POST', path, payload)).statusCode, path).to.equal(201);
    await make(root, '/admin/hooks', hook({ is_system_webhook: 'true' }));
    // of the site's defaults, new repositories get a copy
    await make(root, '/admin/hooks', hook());
    await make(ada, '/orgs', { username: 'works' });
    await make(ada, '/orgs/works/repos', { name: 'engine' });
    await make(ada, '/user/repos', { name: 'wheel' });
    for (const path of ['/orgs/works/hooks', '/repos/works/engine/hooks', '/user/hooks', '/repos/ada/wheel/hooks'])
      await make(ada, path, hook());
    const reached = async (owner: string, name: string) => {
      const { id } = (await host.services.get(repositories).byPath(owner, name))!;
      const last = await host.database.knex()('hook_delivery').max({ id: 'id' }).first();
      await host.services.get(webhooks).deliver({ eventType: 'fork', repositoryId: id, payload: () => ({ owner }) });
      const rows = (await host.database
        .knex()('hook_delivery as d')
        .join('webhook as w', 'w.id', 'd.hook_id')
        .where('d.id', '>', Number(last?.id ?? 0))
        .select('w.owner_kind')) as { owner_kind: string }[];
      return rows.map((row) => row.owner_kind).sort();
    };
    const own = ['repository', 'repository', 'system'];
    expect(await reached('works', 'engine')).to.equal(['organization', ...own]);
    expect(await reached('ada', 'wheel')).to.equal([...own, 'user']);
  });
});
