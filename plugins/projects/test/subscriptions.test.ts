import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { startHost, submitForm, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { signUp } from '@mortise/accounts/testing';
import { projectServices } from '../services/services.js';
import { desk, fill, makeBoard, send } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

type Person = Awaited<ReturnType<typeof signUp>>;

describe('many subscribers of project boards', { timeout: 180_000 }, () => {
  let host: TestHost;
  let ada: Person;
  const crowd = 1201;
  let ids: number[] = [];
  before(async () => {
    host = await startHost({ plugins: ['projects', 'notifications', 'organizations', 'pulls'] });
    ada = await signUp(host, 'ada');
    const ben = await signUp(host, 'ben');
    const knex = host.database.knex();
    const [row] = await knex('user').where('id', ben.actor.id);
    const copies = Array.from({ length: crowd }, (_, number) => {
      const { id: _id, ...columns } = row as Record<string, unknown>;
      const name = `crowd${number}`;
      return { ...columns, name, lower_name: name, email: `${name}@example.org` };
    });
    await host.database.write(async () => {
      for (let at = 0; at < copies.length; at += 20)
        await host.database
          .knex()('user')
          .insert(copies.slice(at, at + 20));
    });
    ids = await knex('user').where('name', 'like', 'crowd%').orderBy('id').pluck('id');
    expect((await send(ada, 'POST', '/api/v1/user/repos', { name: 'desk' })).status).to.equal(201);
  });
  after(() => host.close());

  const subscribe = async (projectId: number, userIds: readonly number[]) => {
    const rows = userIds.map((user_id) => ({ project_id: projectId, user_id, created_at: 1 }));
    await host.database.write(async () => {
      for (let at = 0; at < rows.length; at += 100)
        await host.database
          .knex()('project_subscription')
          .insert(rows.slice(at, at + 100));
    });
  };
  const notified = async (kind: string): Promise<number[]> => {
    await host.settle();
    return host.database
      .knex()('notification')
      .where({ kind, reason: 'project_followed' })
      .orderBy('user_id')
      .pluck('user_id');
  };

  it('PRJ-06: subscribers behind the first thousand are notified too, of cards and of the board', async () => {
    const { project, columns, url } = await makeBoard(ada);
    await subscribe(project.id, ids);
    await fill(ada, url, columns[0]!.id, ['news']);
    expect(await notified('issue')).to.equal(ids);
    await send(ada, 'PATCH', url, { state: 'closed' });
    expect(await notified('repository')).to.equal(ids);
  });

  it('PRJ-01: readers of boards of accounts, asked for together, are those whom each route would let in', async () => {
    const { readers, scopes, reader } = host.services.get(projectServices);
    const all = host.services.get(accounts);
    const [root, cas, dan, eve, kim] = (await Promise.all(
      ['root', 'cas', 'dan', 'eve', 'kim'].map((name) => signUp(host, name, name === 'root' ? { isAdmin: true } : {})),
    )) as [Person, Person, Person, Person, Person];
    await host.database.write(() =>
      host.database.knex()('user').where('id', kim.actor.id).update({ is_restricted: true }),
    );
    const users = await all.byIds([root, ada, cas, dan, eve, kim].map(({ actor }) => actor.id));
    const check = async (url: string, made: { readonly id: number }) => {
      const project = (await reader.byId(made.id))!;
      const together = await readers.among([...users.values()], project);
      const single = new Set<number>();
      for (const account of users.values())
        if ((await scopes.ofProject(all.actorOf(account, ''), project))?.may('read')) single.add(account.id);
      expect(together, url).to.equal(single);
      return [...together].map((id) => users.get(id)!.name).sort();
    };
    const seen: Record<string, string[]> = {};
    for (const visibility of ['public', 'limited', 'private']) {
      const org = `guild-${visibility}`;
      await send(ada, 'POST', '/api/v1/orgs', { username: org, visibility });
      const team = async (name: string, member: string, units: Record<string, string>) => {
        const { body } = await send<{ id: number }>(ada, 'POST', `/api/v1/orgs/${org}/teams`, {
          name,
          permission: 'read',
          units_map: units,
        });
        expect((await send(ada, 'PUT', `/api/v1/teams/${body.id}/members/${member}`)).status).to.equal(204);
      };
      await team('planners', 'cas', { 'repo.projects': 'read' });
      await team('coders', 'dan', { 'repo.code': 'write' });
      const { project } = await makeBoard(ada, {}, `/api/v1/orgs/${org}/projects`);
      seen[org] = await check(org, project);
    }
    expect(seen).to.equal({
      'guild-public': ['ada', 'cas', 'dan', 'eve', 'kim', 'root'],
      'guild-limited': ['ada', 'cas', 'dan', 'eve', 'root'],
      'guild-private': ['ada', 'cas', 'root'],
    });
    for (const visibility of ['public', 'limited', 'private']) {
      const { project } = await makeBoard(cas, {}, '/api/v1/user/projects');
      await host.database.write(() => host.database.knex()('user').where('id', cas.actor.id).update({ visibility }));
      seen[visibility] = await check(visibility, project);
    }
    expect(seen['private']).to.equal(['ada', 'cas', 'dan', 'root']);
  });

  it('a subscriber who leaves hears no more', async () => {
    const { project, columns, url } = await makeBoard(ada, { title: 'Quiet' });
    const { subscriptions } = host.services.get(projectServices);
    const [id] = ids as [number];
    await subscriptions.subscribe(project.id, id);
    expect(await subscriptions.isSubscribed(project.id, id)).to.be.true();
    await subscriptions.unsubscribe(project.id, id);
    await host.database.write(() => host.database.knex()('notification').delete());
    await fill(ada, url, columns[0]!.id, ['nothing'], desk);
    expect(await notified('issue')).to.equal([]);
    expect(
      (await submitForm(ada, new URL(project.html_url).pathname + '/follow', { follow: '1' })).statusCode,
    ).to.equal(303);
  });
});
