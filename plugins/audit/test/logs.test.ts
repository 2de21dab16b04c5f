import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { actAudited, database, events, type AuditedAct } from '@mortise/plugin-sdk';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { createRepository, send, startScene, type Scene } from '@mortise/repositories/testing';
import { EntryRow } from '../models/entry.js';
import type { ApiEntry } from '../services/presenter.js';
import { prune } from '../services/retention.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('audit logs', () => {
  let scene: Scene;

  before(async () => {
    scene = await startScene({ plugins: ['audit', 'organizations'], settings: { audit: { MAX_EXPORT: 700 } } });
  });
  after(() => scene.host.close());

  const act = (name: string, more: Partial<AuditedAct> = {}) =>
    scene.host.services.get(database).write(() =>
      scene.host.services.get(events).emit(actAudited, {
        action: 'thing.create',
        target: { kind: 'thing', name },
        actorId: scene.ada.account.id,
        ...more,
      }),
    );

  it('have no entry of an act whose transaction fails', async () => {
    const { host } = scene;
    const failing = host.services.get(database).write(async () => {
      await host.services
        .get(events)
        .emit(actAudited, { action: 'thing.create', target: { kind: 'thing', name: 'never' } });
      throw new Error('the act failed');
    });
    await expect(failing).to.reject('the act failed');
    expect((await send(scene.root, 'GET', '/admin/audit?target=never')).json).to.be.empty();
  });

  it('are read by who may: the site by its administrators, a repository by its own, the own log by everybody', async () => {
    const { host, root, ada, ben } = scene;
    await createRepository(host, ada.account, 'tool');
    for (const [path, allowed, status] of [
      ['/api/v1/admin/audit', [root], 403],
      ['/-/admin/audit', [root], 403],
      ['/-/admin/audit/export', [root], 403],
      ['/api/v1/repos/ada/tool/audit-log', [root, ada], 403],
      ['/ada/tool/settings/audit-log', [root, ada], 403],
      ['/ada/tool/settings/audit-log/export', [root, ada], 403],
      ['/api/v1/user/security-log', [root, ada, ben], 403],
      ['/user/settings/security-log', [root, ada, ben], 403],
    ] as const) {
      for (const client of [root, ada, ben]) {
        const expected = (allowed as readonly unknown[]).includes(client) ? 200 : status;
        expect((await client.inject(path)).statusCode, path).to.equal(expected);
      }
      expect([401, 303, 302]).to.include((await host.inject(path)).statusCode);
    }
  });

  it('of one account are not for jobs, which all act as the same user that is no account', async () => {
    const { host, ada } = scene;
    const job = host.as({
      ...host.services.get(accountsRef).actorOf(ada.account, 'task'),
      kind: 'task' as const,
      id: -2,
    });
    for (const path of ['/api/v1/user/security-log', '/api/v1/user/security-log/export?format=csv'])
      expect((await job.inject(path)).statusCode, path).to.equal(403);
  });

  it('of one account show no address of others, and find nothing by it', async () => {
    const { ada, ben } = scene;
    await act('from-elsewhere', { actorId: ben.account.id, userId: ada.account.id, remoteAddress: '203.0.113.9' });
    const [entry] = (await send(ada, 'GET', '/user/security-log?target=from-elsewhere')).json as ApiEntry[];
    expect(entry!.address).to.equal('');
    expect((await send(ada, 'GET', '/user/security-log?address=203.0.113.9')).json).to.be.empty();
    expect((await send(ben, 'GET', '/user/security-log?address=203.0.113.9')).json).to.have.length(1);
  });

  it('are paged by key, and searched by actor, action, target, address and time', async () => {
    const { root } = scene;
    for (let at = 0; at < 7; at++) await act(`paged-${at}`, { remoteAddress: `::ffff:192.0.2.${at}` });
    const names = async (query: string) =>
      ((await send(root, 'GET', `/admin/audit?${query}`)).json as ApiEntry[]).map(({ target }) => target.name);
    const first = (await send(root, 'GET', '/admin/audit?target=paged-&limit=4')).json as ApiEntry[];
    expect(first.map(({ target }) => target.name)).to.equal(['paged-6', 'paged-5', 'paged-4', 'paged-3']);
    expect(await names(`target=paged-&limit=4&before=${first[3]!.id}`)).to.equal(['paged-2', 'paged-1', 'paged-0']);
    expect(await names('address=192.0.2.5')).to.equal(['paged-5']);
    expect(await names('actor=ada&action=thing&target=paged-1')).to.equal(['paged-1']);
    expect(await names('target=paged_')).to.be.empty();
    const today = new Date().toISOString().slice(0, 10);
    expect(await names(`target=paged-1&since=${today}&until=${today}`)).to.equal(['paged-1']);
    expect(await names('target=paged-1&until=2001-01-01')).to.be.empty();
    expect((await send(root, 'GET', '/admin/audit?since=yesterday')).statusCode).to.equal(422);
    expect((await send(root, 'GET', '/admin/audit?since=2026-02-30')).statusCode).to.equal(422);
  });

  it('are exported as CSV and as JSON lines, up to the limit, and no cell is a formula', async () => {
    const { root } = scene;
    await act('=1+1, "quoted"', { details: { note: 'a' } });
    const csv = await root.inject('/-/admin/audit/export?format=csv&target==1');
    expect(csv.headers['content-type']).to.include('text/csv');
    expect(csv.headers['content-disposition']).to.include('audit-log.csv');
    const [head, line, rest] = csv.payload.split('\r\n');
    expect(head!.startsWith('id,created_at,action,actor')).to.be.true();
    expect(line).to.include(`"'=1+1, ""quoted"""`);
    expect(rest).to.equal('');
    for (let at = 0; at < 710; at++) await act('many');
    const lines = (await root.inject('/api/v1/admin/audit/export?target=many')).payload.trimEnd().split('\n');
    expect(lines).to.have.length(700);
    expect(new Set(lines.map((text) => (JSON.parse(text) as ApiEntry).id)).size).to.equal(700);
  });

  it('hide from users where others sit who acted on their account', async () => {
    const { root, ben } = scene;
    await act('ben', { actorId: root.account.id, userId: ben.account.id, remoteAddress: '198.51.100.7' });
    const [entry] = (await send(ben, 'GET', '/user/security-log')).json as ApiEntry[];
    expect([entry!.actor?.name, entry!.address]).to.equal(['root', '']);
    expect((await ben.inject('/user/settings/security-log')).payload).not.to.include('198.51.100.7');
    expect((await root.inject('/-/admin/audit')).payload).to.include('198.51.100.7');
  });

  it('forget what is older than RETENTION_DAYS, and keep everything with 0', async () => {
    const { host } = scene;
    const rows = host.services.get(database);
    await act('old');
    const old = Date.now() - 10 * 86_400_000;
    await rows.write(
      async () => void (await rows.query(EntryRow).patch({ created_at: old }).where('target_name', 'old')),
    );
    const { signal } = new AbortController();
    const count = () => rows.query(EntryRow).where('target_name', 'old').resultSize();
    await prune(rows, 0, signal);
    await prune(rows, 11, signal);
    expect(await count()).to.equal(1);
    await prune(rows, 9, signal);
    expect(await count()).to.equal(0);
    expect(await rows.query(EntryRow).where('target_name', 'paged-1').resultSize()).to.equal(1);
  });

  it('read well in German, with the labels of acts and ways', async () => {
    const { host, ada } = scene;
    await createRepository(host, ada.account, 'werkzeug');
    const page = await ada.inject({
      url: '/ada/werkzeug/settings/audit-log',
      headers: { 'accept-language': 'de' },
    });
    expect(page.payload).to.include(['Audit-Log', 'Repository angelegt', 'im Hintergrund']);
  });
});
