import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { basicAuth } from '@mortise/accounts/testing';
import { cookieOf } from '@mortise/sessions/testing';
import { makeWorld, plain, signedIn, until, type Heard, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

type Name = 'ada' | 'ben';
interface Made {
  readonly id: number;
  readonly number: number;
}

describe('pages of project boards that several people have open', { timeout: 120_000 }, () => {
  let world: World;
  const open: Heard[] = [];
  before(async () => {
    world = await makeWorld({ plugins: ['push', 'auth-basic', 'projects', 'organizations', 'pulls'] });
    await send('ada', 'POST', '/api/v1/orgs', { username: 'guild', visibility: 'public' });
    await send('ada', 'POST', '/api/v1/user/repos', { name: 'desk' });
    await send('ada', 'POST', '/api/v1/orgs/guild/repos', { name: 'open' });
    await send('ada', 'POST', '/api/v1/orgs/guild/repos', { name: 'secret', private: true });
  });
  after(async () => {
    for (const { ws } of open) ws.terminate();
    await world.host.close();
  });

  async function send<T = Made>(name: Name, method: string, url: string, payload?: object): Promise<T> {
    const answer = await world.host.inject({
      method: method as 'GET',
      url,
      headers: { authorization: basicAuth(name) },
      ...(payload && { payload }),
    });
    expect(answer.statusCode, `${method} ${url}: ${answer.payload}`).to.be.below(400);
    return (answer.payload ? answer.json : undefined) as T;
  }

  /** Has the board open, and hears what happens there. */
  async function look(name: Name, page: string): Promise<Heard> {
    const heard = await plain(world.address, await signedIn(world.host, world.ids[name]));
    open.push(heard);
    const cookie = await cookieOf(world.host, world.ids[name]);
    const shown = await world.host.inject({ url: page, headers: { cookie } });
    expect(shown.statusCode).to.equal(200);
    const token = /name="_csrf" value="([^"]+)"/.exec(shown.payload)?.[1] ?? '';
    const watched = await world.host.inject({
      method: 'POST',
      url: `${page}/watch`,
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: token }).toString(),
    });
    expect(watched.statusCode, watched.payload).to.equal(200);
    return heard;
  }

  const updates = ({ frames }: Heard, projectId: number) =>
    frames.filter(
      ({ eventType, eventData }) =>
        eventType === 'project-changed' && (eventData as { project_id: number }).project_id === projectId,
    ).length;

  async function hearsOf(heard: Heard, projectId: number, act: () => Promise<unknown>): Promise<void> {
    const before = updates(heard, projectId);
    await act();
    await until(() => updates(heard, projectId) > before);
  }

  for (const { what, boards, page, issues } of [
    { what: 'a repository', boards: '/repos/ada/desk/projects', page: '/ada/desk/projects', issues: 'ada/desk' },
    { what: 'an organization', boards: '/orgs/guild/projects', page: '/guild/-/projects', issues: 'guild/open' },
  ])
    it(`a board of ${what} hears at once that an issue on it has another title, label or state`, async () => {
      const board = await send('ada', 'POST', `/api/v1${boards}`, { title: 'Sprint', template_type: 'basic_kanban' });
      const label = await send('ada', 'POST', `/api/v1/repos/${issues}/labels`, { name: 'bug', color: '#ff0000' });
      const issue = await send('ada', 'POST', `/api/v1/repos/${issues}/issues`, { title: 'a card' });
      const ben = await look('ben', `${page}/${board.id}`);
      const path = `/api/v1/repos/${issues}/issues/${issue.number}`;
      await hearsOf(ben, board.id, () => send('ada', 'PATCH', path, { projects: [board.id] }));
      await hearsOf(ben, board.id, () => send('ada', 'PATCH', path, { title: 'another title' }));
      await hearsOf(ben, board.id, () => send('ada', 'POST', `${path}/labels`, { labels: [label.id] }));
      await hearsOf(ben, board.id, () => send('ada', 'PATCH', path, { state: 'closed' }));
      const shown = await world.host.inject(`${page}/${board.id}`);
      expect(shown.payload).to.include(['another title', 'bug']);
    });

  it('who may not read an issue hears nothing of its card, and hears again of those that may be read', async () => {
    const board = await send('ada', 'POST', '/api/v1/orgs/guild/projects', { title: 'Mixed' });
    const make = (repo: string) =>
      send('ada', 'POST', `/api/v1/repos/guild/${repo}/issues`, { title: `in ${repo}`, projects: [board.id] });
    const [hidden, shown] = [await make('secret'), await make('open')];
    const [ada, ben] = [
      await look('ada', `/guild/-/projects/${board.id}`),
      await look('ben', `/guild/-/projects/${board.id}`),
    ];
    const secret = `/api/v1/repos/guild/secret/issues/${hidden.number}`;
    const move = `/api/v1/orgs/guild/projects/${board.id}/issues/${hidden.id}/move`;
    await hearsOf(ada, board.id, () => send('ada', 'PATCH', secret, { title: 'a secret title' }));
    await hearsOf(ada, board.id, () => send('ada', 'PATCH', secret, { state: 'closed' }));
    await hearsOf(ada, board.id, () => send('ada', 'POST', move, { sorting: 1 }));
    const before = updates(ada, board.id);
    expect([updates(ben, board.id), before > 0]).to.equal([0, true]);
    await hearsOf(ben, board.id, () =>
      send('ada', 'PATCH', `/api/v1/repos/guild/open/issues/${shown.number}`, { title: 'an open title' }),
    );
    // in order: what was meant for others did not come late
    expect(updates(ben, board.id)).to.equal(1);
  });
});
