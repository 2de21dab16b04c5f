import { createServer, type Server } from 'node:http';
import { setDefaultAutoSelectFamilyAttemptTimeout, type AddressInfo } from 'node:net';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { startHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';
import { desk, fill, inColumn, makeBoard, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Delivery {
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>> & { readonly action: string };
}

describe('webhooks and rules of project boards', { timeout: 120_000 }, () => {
  let world: World;
  let receiver: Server;
  const received: Delivery[] = [];
  before(async () => {
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        received.push({
          event: String(request.headers['x-gitea-event']),
          payload: JSON.parse(body) as Delivery['payload'],
        });
        response.end('thanks');
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    // the receiver is this process: when it stands still, no time-out may end an attempt
    setDefaultAutoSelectFamilyAttemptTimeout(100_000);
    const host = await startHost({
      plugins: ['projects', 'webhooks', 'webhook-mortise', 'organizations', 'pulls', 'reviews', 'files', 'refs'],
      settings: { security: { ALLOWED_HOST_LIST: '*' }, webhook: { DELIVER_TIMEOUT: 100 } },
    });
    const [ada, ben, cas] = [await signUp(host, 'ada'), await signUp(host, 'ben'), await signUp(host, 'cas')];
    world = { host, ada, ben, cas };
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'desk', auto_init: true, default_branch: 'main' });
    await send(ada, 'PUT', `${desk}/collaborators/ben`, { permission: 'write' });
    await send(ada, 'POST', '/api/v1/orgs', { username: 'guild' });
  });
  after(async () => {
    await world.host.close();
    receiver.close();
  });

  const hook = async (at: string, events = ['project', 'project_column', 'project_card']) => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/in`;
    const config = { url, content_type: 'json' };
    const made = await send(world.ada, 'POST', `${at}/hooks`, { type: 'gitea', active: true, events, config });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    expect([...(made.body.events as string[])].sort()).to.equal([...events].sort());
  };
  /** What came since the last time, in the order of what happened. */
  const deliveries = async () => {
    await world.host.settle();
    return received.splice(0);
  };
  const said = (all: readonly Delivery[]) => all.map(({ event, payload }) => `${event} ${payload.action}`);

  it('project, project_column and project_card tell receivers what happened, in the shape of compatible services', async () => {
    const { ada } = world;
    await hook(desk);
    const { project, url, columns } = await makeBoard(ada);
    const created = await deliveries();
    expect(said(created)).to.equal(['project created']);
    const [{ payload }] = created as [Delivery];
    expect(Object.keys(payload).sort()).to.equal(['action', 'project', 'repository', 'sender']);
    expect(payload.project).to.include({ id: project.id, title: 'Sprint', state: 'open', type: 'repository' });
    expect(payload.repository).to.include({ full_name: 'ada/desk' });
    expect(payload.sender).to.include({ login: 'ada' });

    await send(ada, 'PATCH', url, { title: 'Release', description: 'All of it' });
    await send(ada, 'PATCH', url, { state: 'closed' });
    await send(ada, 'PATCH', url, { state: 'open' });
    const changed = await deliveries();
    expect(said(changed)).to.equal(['project edited', 'project closed', 'project reopened']);
    expect(changed[0]!.payload.changes).to.equal({ title: { from: 'Sprint' }, description: { from: '' } });

    const column = (await send<{ id: number }>(ada, 'POST', `${url}/columns`, { title: 'Review' })).body;
    const ofColumns = await deliveries();
    for (const [method, path, body] of [
      ['PATCH', `/${column.id}`, { title: 'In review' }],
      ['POST', '/move', { column_ids: [column.id] }],
      ['DELETE', `/${column.id}`, undefined],
    ] as const) {
      await send(ada, method, `${url}/columns${path}`, body);
      ofColumns.push(...(await deliveries()));
    }
    expect([...new Set(said(ofColumns))]).to.equal([
      'project_column created',
      'project_column edited',
      'project_column moved',
      'project_column deleted',
    ]);
    expect(ofColumns[0]!.payload.project_column).to.include({ id: column.id, title: 'Review', project_id: project.id });
    expect(ofColumns[1]!.payload.changes).to.equal({ title: { from: 'Review' } });
    expect(ofColumns.at(-1)!.payload.project_column).to.include({ id: column.id, title: 'In review' });

    const [from, to] = columns.map(({ id }) => id) as [number, number];
    const [issue] = await fill(ada, url, from, ['a card']);
    await send(ada, 'POST', `${url}/issues/${issue!.id}/move`, { column_id: to });
    await send(ada, 'POST', `${url}/issues/${issue!.id}/move`, { sorting: 0 });
    await send(ada, 'PATCH', `/api/v1/projects/${project.id}/cards/${issue!.id}`, { is_archived: true });
    await send(ada, 'PATCH', `/api/v1/projects/${project.id}/cards/${issue!.id}`, { is_archived: false });
    await send(ada, 'DELETE', `${url}/columns/${to}/issues/${issue!.id}`);
    const ofCards = await deliveries();
    expect(said(ofCards)).to.equal([
      'project_card created',
      'project_card moved',
      'project_card moved',
      'project_card edited',
      'project_card edited',
      'project_card deleted',
    ]);
    const cards = ofCards.map((one) => one.payload.project_card as Record<string, unknown>);
    for (const card of cards) expect(card).to.include({ project_id: project.id, issue_id: issue!.id });
    expect(cards[0]!.content_url).to.match(/\/ada\/desk\/issues\/\d+$/);
    expect(cards.map((card) => card.column_id)).to.equal([from, to, to, to, to, to]);
    expect(ofCards.map((one) => one.payload.changes)).to.equal([
      undefined,
      { column_id: { from } },
      undefined,
      undefined,
      undefined,
      undefined,
    ]);

    await send(ada, 'DELETE', url);
    const [gone, ...others] = await deliveries();
    expect(others).to.equal([]);
    expect(said([gone!])).to.equal(['project deleted']);
    expect(gone!.payload.project).to.include({ id: project.id, title: 'Release' });
  });

  it('hooks of organizations hear of their boards, and hooks without these events of none', async () => {
    const { ada } = world;
    await hook('/api/v1/orgs/guild', ['project_card', 'project']);
    const { project } = await makeBoard(ada, {}, '/api/v1/orgs/guild/projects');
    await send(ada, 'PATCH', `/api/v1/orgs/guild/projects/${project.id}`, { state: 'closed' });
    const all = await deliveries();
    expect(said(all)).to.equal(['project created', 'project closed']);
    expect(all[0]!.payload.organization).to.include({ username: 'guild' });
    expect(all[0]!.payload).to.not.include('repository');
    await makeBoard(ada, {}, '/api/v1/user/projects');
    expect(await deliveries()).to.equal([]);
  });

  it('rules move the card of a pull request when a review is asked for and when it is merged', async () => {
    const { ada, ben } = world;
    const { project, url, columns } = await makeBoard(ada);
    const [backlog, , review, done] = columns.map(({ id }) => id) as [number, number, number, number];
    const merged = (await send<{ id: number }>(ada, 'POST', `${url}/columns`, { title: 'Merged' })).body.id;
    for (const [event, column_id] of [
      ['opened', backlog],
      ['review_requested', review],
      ['closed', done],
      ['merged', merged],
    ] as const)
      expect((await send(ada, 'PUT', `/api/v1/projects/${project.id}/rules/${event}`, { column_id })).status).to.equal(
        200,
      );
    const open = async (branch: string) => {
      const content = Buffer.from(branch).toString('base64');
      const file = { content, message: branch, branch: 'main', new_branch: branch };
      expect((await send(ada, 'POST', `${desk}/contents/${branch}.txt`, file)).status).to.equal(201);
      const pull = { title: branch, head: branch, base: 'main' };
      const { status, body } = await send<{ number: number }>(ada, 'POST', `${desk}/pulls`, pull);
      expect(status).to.equal(201);
      return `${desk}/pulls/${body.number}`;
    };
    const [first, second] = [await open('first'), await open('second')];
    expect(await inColumn(ada, url, backlog)).to.equal(['first', 'second']);
    expect((await send(ada, 'POST', `${first}/requested_reviewers`, { reviewers: ['ben'] })).status).to.equal(201);
    expect(await inColumn(ada, url, review)).to.equal(['first']);
    expect((await send(ben, 'POST', `${first}/merge`, { Do: 'merge' })).status).to.equal(200);
    expect(await inColumn(ada, url, merged)).to.equal(['first']);
    expect((await send(ben, 'PATCH', second, { state: 'closed' })).status).to.equal(201);
    expect(await inColumn(ada, url, done)).to.equal(['second']);
    const timeline = await send<{ type: string; user: { login: string } }[]>(
      ada,
      'GET',
      `${first.replace('/pulls/', '/issues/')}/timeline`,
    );
    expect(timeline.body.filter(({ type }) => type === 'project_board').map(({ user }) => user.login)).to.equal([
      'ada',
      'ben',
      'ben',
    ]);
    await deliveries();
  });
});
