import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { webhooks } from '@mortise/webhooks/api';
import { SourceDatabase } from '../services/source-database.js';
import { SourceFixture } from './source.js';
import { encryptSecret } from './source-secrets.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const time = { created_unix: 1700000000, updated_unix: 1700000001 };
const token = '0123456789abcdef0123456789abcdef01234567';

const eventsOf = (...names: readonly string[]) =>
  JSON.stringify({
    choose_events: true,
    branch_filter: 'main',
    events: { push: false, ...Object.fromEntries(names.map((name) => [name, true])) },
  });
const hook = { content_type: 1, http_method: 'POST', is_active: 1, type: 'gitea', last_status: 1, meta: '', ...time };

describe('issue 28: webhooks, boards and feeds of a server that is taken over', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = () => host.command('takeover', { from: source.folder });
  const request = (method: 'GET' | 'POST', url: string) =>
    host.inject({ method, url: `/api/v1${url}`, headers: { authorization: `token ${token}` } });
  const get = async (url: string) => (await request('GET', url)).json;
  beforeEach(async () => {
    host = await startHost({
      plugins: [
        'takeover',
        'auth-token',
        'webhook-mortise',
        'webhook-matrix',
        'activity',
        'projects',
        'admin',
        'organizations',
      ],
      settings: { security: { ALLOWED_HOST_LIST: '*' } },
    });
    source = new SourceFixture();
    const account = { is_active: 1, ...time };
    source.rows(
      'user',
      { id: 7, lower_name: 'ada', name: 'ada', type: 0, email: 'ada@example.com', is_admin: 1, ...account },
      { id: 8, lower_name: 'ben', name: 'ben', type: 0, email: 'ben@example.com', is_admin: 0, ...account },
      { id: 9, lower_name: 'guild', name: 'guild', type: 1, email: '', is_admin: 0, ...account },
    );
    source.rows('access_token', { id: 1, uid: 7, name: 'all', sha1: token, ...time });
    source.rows(
      'repository',
      { id: 5, owner_id: 7, owner_name: 'ada', name: 'tool', lower_name: 'tool', is_private: 0, ...time },
      { id: 6, owner_id: 7, owner_name: 'ada', name: 'secret', lower_name: 'secret', is_private: 1, ...time },
    );
    for (const type of [1, 2, 8]) source.rows('repo_unit', { id: type, repo_id: 5, type, config: null });
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('hooks of all levels keep their events and secrets, and deliver with them', async () => {
    const received: { headers: IncomingHttpHeaders; body: string }[] = [];
    const server = createServer(async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      received.push({ headers: incoming.headers, body: Buffer.concat(chunks).toString() });
      response.end('ok');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    source.rows(
      'webhook',
      {
        id: 20,
        repo_id: 5,
        owner_id: 0,
        is_system_webhook: 0,
        url,
        secret: 'hush',
        events: eventsOf('push', 'issues'),
        header_authorization_encrypted: encryptSecret('Bearer sesame'),
        ...hook,
      },
      {
        id: 21,
        repo_id: 0,
        owner_id: 9,
        is_system_webhook: 0,
        url,
        secret: '',
        events: '{"send_everything":true}',
        ...hook,
      },
      { id: 22, repo_id: 0, owner_id: 8, is_system_webhook: 0, url, secret: '', events: '{"push_only":true}', ...hook },
      { id: 23, repo_id: 0, owner_id: 0, is_system_webhook: 1, url, secret: '', events: eventsOf('release'), ...hook },
      { id: 24, repo_id: 0, owner_id: 0, is_system_webhook: 0, url, secret: '', events: eventsOf('release'), ...hook },
      { id: 25, repo_id: 99, owner_id: 0, is_system_webhook: 0, url, secret: '', events: eventsOf('push'), ...hook },
      {
        id: 26,
        repo_id: 5,
        owner_id: 0,
        is_system_webhook: 0,
        url: 'nowhere',
        secret: '',
        events: eventsOf('push'),
        ...hook,
      },
    );
    source.rows('hook_task', {
      id: 40,
      hook_id: 20,
      uuid: 'eb5a3bf6-0d78-4772-8199-31b9b3779c11',
      payload_content: '{"action":"opened"}',
      event_type: 'issues',
      is_delivered: 1,
      delivered: '1700000000123456789',
      is_succeed: 1,
      request_content: JSON.stringify({
        url,
        http_method: 'POST',
        headers: { 'X-Gitea-Event': 'issues', Authorization: 'Bearer sesame' },
      }),
      response_content: '{"status":200,"headers":{},"body":"ok"}',
    });
    const lines = await take();
    expect(lines).to.include('webhooks.repository_hooks: 3 read, 1 written, 0 unchanged, 0 removed, 2 skipped');
    expect(lines).to.include('  1 skipped: its address is no http or https URL');
    const [stored] = await get('/repos/ada/tool/hooks');
    expect([stored.id, stored.type, stored.events, stored.branch_filter]).to.equal([
      20,
      'gitea',
      ['push', 'issues'],
      'main',
    ]);
    const levels = await host.database.knex()('webhook').orderBy('id').select('id', 'owner_kind', 'owner_id');
    expect(levels.map((row) => [row.id, row.owner_kind, row.owner_id])).to.equal([
      [20, 'repository', 5],
      [21, 'organization', 9],
      [22, 'user', 8],
      [23, 'system', 0],
      [24, 'default', 0],
    ]);
    const delivery = await host.database.knex()('hook_delivery').where('id', 40).first();
    expect([delivery.state, Number(delivery.delivered_at)]).to.equal(['succeeded', 1700000000123]);
    expect(delivery.request).to.not.contain('sesame');
    await host.services.get(webhooks).deliver({
      eventType: 'push',
      repositoryId: 5,
      ref: 'refs/heads/main',
      payload: () => ({ ref: 'refs/heads/main' }),
    });
    await host.settle();
    const toRepository = received.filter((one) => one.headers.authorization);
    expect([received.length, toRepository.length]).to.equal([1, 1]);
    const [{ headers, body }] = toRepository as [(typeof received)[0]];
    expect(headers['x-hub-signature-256']).to.equal(
      `sha256=${createHmac('sha256', 'hush').update(body).digest('hex')}`,
    );
    expect(headers.authorization).to.equal('Bearer sesame');
    server.close();
    expect(await take()).to.include('webhooks.deliveries: 1 read, 0 written, 1 unchanged, 0 removed, 0 skipped');
  });

  it('hooks of Matrix go on with the token that was their header', async () => {
    source.rows('webhook', {
      ...hook,
      id: 20,
      repo_id: 5,
      owner_id: 0,
      is_system_webhook: 0,
      url: 'https://matrix.example.com/_matrix/client/r0/rooms/%21room/send/m.room.message',
      http_method: 'PUT',
      secret: '',
      type: 'matrix',
      meta: '{"homeserver_url":"https://matrix.example.com","room_id":"!room","message_type":1}',
      events: eventsOf('push'),
      header_authorization_encrypted: encryptSecret('Bearer sesame'),
    });
    await take();
    const { settings, authorization } = await host.database.knex()('webhook').where('id', 20).first();
    expect(JSON.parse(settings)).to.include({ home_server: 'https://matrix.example.com', room_id: '!room' });
    expect([settings.includes('sesame'), authorization]).to.equal([false, '']);
  });

  it('boards come with their columns and cards, in their order', async () => {
    const issue = { repo_id: 5, poster_id: 7, name: 'one', content: '', is_closed: 0, is_pull: 0, ...time };
    source.rows('issue', { id: 30, index: 1, ...issue }, { id: 31, index: 2, ...issue });
    source.rows(
      'project',
      {
        id: 2,
        title: 'Plan',
        description: '',
        owner_id: 0,
        repo_id: 5,
        creator_id: 7,
        is_closed: 0,
        board_type: 1,
        type: 2,
        ...time,
      },
      {
        id: 3,
        title: 'Guild',
        description: '',
        owner_id: 9,
        repo_id: 0,
        creator_id: 7,
        is_closed: 0,
        board_type: 0,
        type: 3,
        ...time,
      },
    );
    source.rows(
      'project_board',
      { id: 10, title: 'To do', default: 1, sorting: 0, color: '#FF0000', project_id: 2, creator_id: 7, ...time },
      { id: 11, title: 'Done', default: 0, sorting: 1, color: '', project_id: 2, creator_id: 7, ...time },
    );
    source.rows(
      'project_issue',
      { id: 50, issue_id: 30, project_id: 2, project_board_id: 11, sorting: 0 },
      { id: 51, issue_id: 31, project_id: 2, project_board_id: 0, sorting: 3 },
      { id: 52, issue_id: 31, project_id: 3, project_board_id: 0, sorting: 0 },
    );
    const lines = await take();
    expect(lines).to.include('projects.cards: 3 read, 2 written, 0 unchanged, 0 removed, 1 skipped');
    expect(lines).to.include('  1 skipped: its board has no columns');
    const cards = await host.database.knex()('project_card').orderBy('id').select('issue_id', 'column_id');
    expect(cards.map((row) => [row.issue_id, row.column_id])).to.equal([
      [30, 11],
      [31, 10],
    ]);
    const boards = await host.database.knex()('project').orderBy('id').select('type', 'template', 'repository_id');
    expect(boards.map((row) => [row.type, row.template, row.repository_id])).to.equal([
      ['repository', 'basic_kanban', 5],
      ['organization', 'none', null],
    ]);
    expect((await get('/repos/ada/tool/projects')).map(({ title }: { title: string }) => title)).to.equal(['Plan']);
  });

  it('feeds hold what happened, once for each who got it, and hide what is private now', async () => {
    const action = { act_user_id: 7, repo_id: 5, comment_id: 0, is_deleted: 0, ref_name: '', content: '', ...time };
    source.rows(
      'action',
      { id: 60, user_id: 7, op_type: 1, is_private: 0, ...action },
      { id: 61, user_id: 8, op_type: 1, is_private: 0, ...action },
      { id: 62, user_id: 7, op_type: 9, is_private: 0, ...action, ref_name: 'refs/tags/v1', content: '{"Len":0}' },
      { id: 63, user_id: 7, op_type: 1, is_private: 0, ...action, repo_id: 6 },
      { id: 64, user_id: 8, op_type: 5, is_private: 0, ...action },
      { id: 65, user_id: 7, op_type: 99, is_private: 0, ...action },
    );
    const lines = await take();
    expect(lines).to.include('activity.activities: 4 read, 3 written, 0 unchanged, 0 removed, 1 skipped');
    expect(lines).to.include('  1 skipped: it is an action of the unknown kind 99');
    expect(lines).to.include('  1 skipped: the entry of the one who acted is missing');
    const feed = await get('/repos/ada/tool/activities/feeds');
    expect(feed.map(({ id, op_type }: { id: number; op_type: string }) => [id, op_type])).to.equal([
      [62, 'push_tag'],
      [60, 'create_repo'],
    ]);
    const receivers = await host.database
      .knex()('activity_receiver')
      .orderBy('id')
      .select('activity_id', 'user_id', 'is_private');
    expect(receivers.map((row) => [row.activity_id, row.user_id, Boolean(row.is_private)])).to.equal([
      [60, 7, false],
      [60, 8, false],
      [62, 7, false],
      [63, 7, true],
    ]);
    const again = await take();
    expect(again).to.include('activity.activities: 4 read, 0 written, 3 unchanged, 0 removed, 1 skipped');
  });

  it('a pass that was killed between an entry and who gets it goes on', async () => {
    const action = { act_user_id: 7, op_type: 1, repo_id: 5, comment_id: 0, is_deleted: 0, ref_name: '', content: '' };
    source.rows('action', { id: 60, user_id: 7, is_private: 0, ...action, ...time });
    await take();
    source.rows('action', { id: 61, user_id: 8, is_private: 0, ...action, ...time });
    expect(await take()).to.include('activity.receivers: 2 read, 1 written, 1 unchanged, 0 removed, 0 skipped');
    expect(await host.database.knex()('activity_receiver').where('id', 61).pluck('activity_id')).to.equal([60]);
  });

  it('a table is read once for all that is made of it', async () => {
    const { page } = SourceDatabase.prototype;
    const read: string[] = [];
    SourceDatabase.prototype.page = function (table, ...more) {
      read.push(table);
      return page.call(this, table, ...more);
    };
    try {
      source.rows('action', { id: 1, user_id: 7, act_user_id: 7, op_type: 1, repo_id: 40, created_unix: 1700000000 });
      source.rows('webhook', { id: 90, repo_id: 0, owner_id: 7, url: 'https://example.com/x', type: 'gitea' });
      await take();
    } finally {
      SourceDatabase.prototype.page = page;
    }
    // its secrets are tried before
    expect(read.filter((table) => table === 'webhook')).to.have.length(2);
    expect(read.filter((table) => table === 'action')).to.have.length(1);
  });
});
