import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { textOf, inEnglish } from '@mortise/plugin-sdk';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { activityEvents, type ActivityEvent } from '../api.js';
import { activityListener } from '../testing.js';
import { up } from '../migrations/0001_rename_pending_events.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('activity-events', { timeout: 600_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  const listener = activityListener();
  const api = (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
    host.inject({ method, url: `/api/v1${url}`, payload, headers: { authorization: ada.authorization } });
  const lines = async () => {
    await host.settle();
    const lines: string[] = [];
    for (const one of listener.events) {
      const line = await listener.kindOf(one).describe(one);
      lines.push(line ? `${line.tone}: ${inEnglish(() => textOf(line.title))} (${new URL(line.url).pathname})` : '');
    }
    return lines;
  };
  const payload = (one: ActivityEvent) =>
    listener.kindOf(one).payload(one, { maxItems: 5 }) as Promise<Record<string, unknown> | undefined>;

  before(async () => {
    host = await startHost({ plugins: [listener.plugin, 'activity-events', 'forks', 'refs', 'files', 'auth-basic'] });
    ada = await makeUser(host, 'ada');
  });
  after(() => host.close());
  beforeEach(() => {
    listener.events.length = 0;
  });

  it('describes what became of a repository in a line each', async () => {
    expect((await api('POST', '/user/repos', { name: 'tool' })).statusCode).to.equal(201);
    expect((await api('PATCH', '/repos/ada/tool', { name: 'instrument' })).statusCode).to.equal(200);
    expect((await api('DELETE', '/repos/ada/instrument')).statusCode).to.equal(204);
    expect(await lines()).to.equal([
      'positive: ada created repository ada/tool (/ada)',
      'neutral: ada renamed repository ada/tool to ada/instrument (/)',
      'negative: ada deleted repository ada/instrument (/ada)',
    ]);
    const [created, renamed, deleted] = listener.events;
    expect(await payload(created!), 'gone by now').to.be.undefined();
    expect(await payload(renamed!), 'receivers do not know of it').to.be.undefined();
    expect(await payload(deleted!)).to.include({ action: 'deleted' });
  });

  it('describes pushes, branches and tags, those of one push together', async () => {
    await api('POST', '/user/repos', { name: 'code', auto_init: true, default_branch: 'main' });
    await api('POST', '/repos/ada/code/branches', { new_branch_name: 'side', old_branch_name: 'main' });
    await api('POST', '/repos/ada/code/contents/a.txt', { content: 'YQ==', message: 'Add a', branch: 'side' });
    await api('POST', '/repos/ada/code/tags', { tag_name: 'v1', target: 'side' });
    await api('DELETE', '/repos/ada/code/branches/side');
    const all = await lines();
    const compare = listener.events
      .filter(({ kind }) => kind === 'push')
      .map(({ data }) => data as { old: string; new: string });
    expect(
      all.slice(all.indexOf('positive: ada created branch side in ada/code (/ada/code/src/branch/side)')),
    ).to.equal([
      'positive: ada created branch side in ada/code (/ada/code/src/branch/side)',
      'neutral: ada pushed 0 commits to side in ada/code (/ada/code/compare/main...side)',
      `neutral: ada pushed 1 commit to side in ada/code (/ada/code/compare/${compare.at(-2)!.old}...${compare.at(-2)!.new})`,
      'positive: ada created tag v1 in ada/code (/ada/code/src/tag/v1)',
      'neutral: ada pushed tag v1 to ada/code (/ada/code/src/tag/v1)',
      'negative: ada deleted branch side in ada/code (/ada/code)',
    ]);
    const ids = listener.events.map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const one of listener.events) expect(Number(one.resource.repositoryId), one.kind).to.be.above(0);
  });

  it('a renamed branch brings nothing new; a tag that the service annotates is told by its commit', async () => {
    await api('PATCH', '/repos/ada/code/branches/main', { name: 'trunk' });
    await host.settle();
    expect(listener.events.map(({ kind, resource }) => `${kind} ${resource.title}`)).to.equal([
      'delete main',
      'create trunk',
    ]);
    listener.events.length = 0;
    const head = (await host.inject('/api/v1/repos/ada/code/branches/trunk')).json.commit.id;
    await api('POST', '/repos/ada/code/tags', { tag_name: 'v2', target: 'trunk', message: 'all of it' });
    await host.settle();
    const [created, pushed] = listener.events;
    expect((created!.data as { new: string }).new).to.not.equal(head);
    expect(await payload(created!)).to.include({ sha: head, ref: 'v2' });
    expect(await payload(pushed!)).to.include({ after: head, ref: 'refs/tags/v2', commits: [] });
    const byGit = { ...created!, data: { ...created!.data, source: 'http' } };
    expect((await payload(byGit))!.sha).to.equal((created!.data as { new: string }).new);
  });

  it('what waited in the outbox under the former name is delivered after the upgrade', async () => {
    await host.database.write(async () => {
      const resource = { id: 0, title: 'ada/former' };
      const one = { kind: 'repository', action: 'deleted', resource, actorId: 0 };
      await host.services.get(activityEvents).record([one]);
      const knex = host.database.knex();
      const row = await knex('event').where({ name: 'activity-events.recorded' }).orderBy('id', 'desc').first();
      const payload = String(row.payload).replace('"activityEvents"', '"announcements"');
      await knex('event').where({ id: row.id }).update({ name: 'announcements.announced', payload });
      await up(knex);
    });
    await host.settle();
    expect(listener.events.map(({ kind, resource }) => `${kind} ${resource.title}`)).to.equal([
      'repository ada/former',
    ]);
  });

  it('a push lists its newest commits, as many as are asked for', async () => {
    for (let index = 1; index <= 3; index++)
      await api('POST', `/repos/ada/code/contents/${index}.txt`, { content: 'YQ==', message: `count ${index}` });
    await host.settle();
    const { data } = listener.events.find(({ kind }) => kind === 'push')!;
    const last = listener.events.findLast(({ kind }) => kind === 'push')!;
    const whole = { ...last, data: { ...last.data, old: (data as { old: string }).old } };
    const told = (await listener.kindOf(whole).payload(whole, { maxItems: 2 })) as {
      commits: { message: string }[];
      total_commits: number;
    };
    expect([told.commits.map(({ message }) => message.trim()), told.total_commits]).to.equal([
      ['count 3', 'count 2'],
      3,
    ]);
  });

  it('is delivered with its transaction, or not at all', async () => {
    const service = host.services.get(activityEvents);
    const one = { kind: 'greeting', action: 'shouted', resource: { id: 1, title: 'all' }, actorId: 0 };
    await host.database
      .write(async () => {
        await service.record([one]);
        throw new Error('changed our mind');
      })
      .catch(() => undefined);
    await host.settle();
    expect(listener.events).to.be.empty();
    await service.record([]);
    await service.record([one, { ...one, id: 'fixed', at: 5, data: { word: 'hi' } }]);
    await host.settle();
    expect(listener.events.map(({ id, at, data }) => [id === 'fixed', at === 5, data])).to.equal([
      [false, false, {}],
      [true, true, { word: 'hi' }],
    ]);
  });
});
