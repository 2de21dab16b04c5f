import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import { boards, makeBoard, makeWorld, openIssue, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

type Visitor = Pick<TestClient, 'inject'>;
const page = async (by: Visitor, url: string, status = 200): Promise<string> => {
  const answer = await by.inject({ method: 'GET', url });
  expect(answer.statusCode, url).to.equal(status);
  return answer.payload;
};

describe('pages of project boards', { timeout: 60_000 }, () => {
  let world: World;
  before(async () => {
    world = await makeWorld(['projects', 'organizations']);
    expect((await send(world.ada, 'POST', '/api/v1/orgs', { username: 'forge' })).status).to.equal(201);
  });
  after(() => world.host.close());

  it('PRJ-01: lists of a repository, an organization and a user show open and closed boards, and search them', async () => {
    const { ada, host } = world;
    for (const [list, api] of [
      ['/ada/desk/projects', boards],
      ['/forge/-/projects', '/api/v1/orgs/forge/projects'],
      ['/ada/-/projects', '/api/v1/user/projects'],
    ] as const) {
      const open = await makeBoard(ada, { title: `Open of ${list}` }, api);
      await makeBoard(ada, { title: `Closed of ${list}`, state: 'closed' }, api);
      const seen = await page(host, list);
      expect(seen, list)
        .to.include(`Open of ${list}`)
        .and.to.not.include([`Closed of ${list}`, `${list}/new`]);
      expect(await page(host, `${list}?state=closed`)).to.include(`Closed of ${list}`);
      expect(await page(host, `${list}?q=nothing`)).to.not.include('Open of');
      expect(await page(ada, list)).to.include([`${list}/new`, `${list}/${open.project.id}/edit`]);
      expect(new URL(open.project.html_url).pathname).to.equal(`${list}/${open.project.id}`);
    }
    expect(await page(host, '/ada?tab=projects')).to.include('Open of /ada/-/projects');
    expect(await page(host, '/forge?tab=projects')).to.include('Open of /forge/-/projects');
  });

  it('PRJ-04: forms make a board from a template, edit, close, reopen and delete it', async () => {
    const { ada, ben, cas, host } = world;
    for (const list of ['/ada/desk/projects', '/ada/-/projects', '/forge/-/projects']) {
      const made = await submitForm(ada, `${list}/new`, {
        title: 'By form',
        template: 'bug_triage',
        card_type: 'images_and_text',
      });
      const path = String(made.headers.location);
      expect(path, list).to.match(/\/projects\/\d+$/);
      const edited = await submitForm(ada, `${path}/edit`, { title: 'Renamed', description: 'Why' });
      expect(edited.headers.location).to.equal(path);
      await submitForm(ada, `${path}/state`, { closed: '1' });
      expect(await page(ada, `${list}?state=closed`)).to.include('Renamed');
      await submitForm(ada, `${path}/state`, { closed: '0' });
      const refusals: Record<string, string>[] = [
        { title: ' ' },
        { title: 'a', card_type: 'big' },
        { title: 'x'.repeat(300) },
      ];
      for (const refused of refusals) {
        expect((await submitForm(ada, `${path}/edit`, refused)).statusCode).to.equal(422);
        expect((await submitForm(ada, `${list}/new`, refused)).statusCode).to.equal(422);
      }
      expect((await submitForm(ada, `${list}/new`, { title: 'a', template: 'scrum' })).statusCode).to.equal(422);
      for (const form of ['edit', 'state', 'delete'])
        expect((await submitForm(cas, `${path}/${form}`, { title: 'a' })).statusCode).to.equal(403);
      expect((await submitForm(cas, `${list}/new`, { title: 'a' })).statusCode).to.equal(403);
      expect((await submitForm(ada, `${path}/delete`)).headers.location).to.equal(list);
      await page(ada, `${path}/edit`, 404);
    }
    expect((await submitForm(ben, '/ada/desk/projects/new', { title: 'Of Ben' })).statusCode).to.equal(303);
    expect(await page(host, '/ada/desk/labels')).to.include('href="/ada/desk/projects"');
  });

  it('PRJ-01: lists count the cards that the visitor may read', async () => {
    const { ada, host } = world;
    const hidden = '/api/v1/repos/ada/hidden';
    expect((await send(ada, 'POST', '/api/v1/user/repos', { name: 'hidden', private: true })).status).to.equal(201);
    const { url, columns } = await makeBoard(ada, { title: 'Counted' }, '/api/v1/user/projects');
    for (const at of [undefined, hidden]) {
      const issue = await openIssue(ada, 'One', at);
      await send(ada, 'POST', `${url}/columns/${columns[0]!.id}/issues/${issue.id}`);
    }
    expect(await page(ada, '/ada/-/projects?q=Counted')).to.include('0% done: 2 open, 0 closed');
    expect(await page(host, '/ada/-/projects?q=Counted')).to.include('0% done: 1 open, 0 closed');
  });
});
