import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { send } from '@mortise/repositories/testing';
import { look, makeOrganization, makeTeam, marked, startPages, statusOf, submit, type PageScene } from './page-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('pages of teams', () => {
  let scene: PageScene;
  const everybody = () => [scene.host, scene.cat, scene.ben, scene.ada, scene.root];
  const seen = (path: string) => Promise.all(everybody().map((by) => statusOf(by, path)));
  const names = async (path: string) =>
    ((await send(scene.ada, 'GET', path)).json as { login?: string; name: string }[]).map(
      ({ login, name }) => login ?? name,
    );

  before(async () => {
    scene = await startPages();
    await makeOrganization(scene, 'works');
    await makeTeam(scene, 'works', 'private', [], { visibility: 'private' });
    await makeTeam(scene, 'works', 'limited', [], { visibility: 'limited' });
    await makeTeam(scene, 'works', 'public', ['ada'], { visibility: 'public' });
    await makeOrganization(scene, 'hidden', { visibility: 'private' });
    await makeTeam(scene, 'hidden', 'public', [], { visibility: 'public' });
    for (const name of ['engine', 'gear', 'plans'])
      await send(scene.ada, 'POST', '/orgs/works/repos', { name, private: name === 'plans' });
  });
  after(() => scene.host.close());

  it('are there for those who may know of the team', async () => {
    const [, ...signedIn] = await seen('/org/works/teams');
    expect(signedIn).to.equal([403, 200, 200, 200]);
    for (const tail of ['', '/repositories']) {
      const of = async (team: string) => (await seen(`/org/works/teams/${team}${tail}`)).slice(1);
      expect(await of('private'), 'private').to.equal([404, 404, 200, 200]);
      expect(await of('limited'), 'limited').to.equal([404, 200, 200, 200]);
      expect(await of('public'), 'public').to.equal([200, 200, 200, 200]);
      expect(await of('none'), 'none').to.equal([404, 404, 404, 404]);
      expect((await seen(`/org/hidden/teams/public${tail}`)).slice(1)).to.equal([404, 200, 200, 200]);
    }
    expect((await seen('/org/works/teams/limited/edit')).slice(1)).to.equal([404, 403, 200, 200]);
    expect((await seen('/org/works/teams/new')).slice(1)).to.equal([403, 403, 200, 200]);
    const list = await look(scene.ben, '/org/works/teams');
    expect(list).to.include(['/org/works/teams/crew', '/org/works/teams/limited']);
    expect(list).not.to.include(['/org/works/teams/private', '/org/works/teams/new']);
    // whoever does not belong to the organization does not see who does
    const outside = await look(scene.cat, '/org/works/teams/public');
    expect(outside).to.include('Only members of the organization can see');
    expect(outside).not.to.include('href="/ada"');
    const repositories = await look(scene.cat, '/org/works/teams/owners/repositories');
    expect(repositories).to.equal('404');
  });

  it('private data through error texts: tell no names of repositories by their numbers', async () => {
    const act = '/org/works/teams/crew/action/repo';
    const { id } = (await send(scene.ada, 'GET', '/repos/works/plans')).json as { id: number };
    for (const isOpen of [true, false]) {
      await send(scene.ada, 'PATCH', '/orgs/works', { repo_admin_change_team_access: isOpen });
      const answers = await Promise.all(
        [String(id), '999999', 'x', '1e999', '-1'].map((repoid) => submit(scene.ben, `${act}/remove`, { repoid })),
      );
      expect(new Set(answers.map((one) => one.slice(0, 3))).size, answers.join().slice(0, 100)).to.equal(1);
      for (const answer of answers) expect(answer).to.match(/^4/).and.not.to.include('plans');
    }
    for (const field of ['iid', 'uid'])
      for (const odd of ['x', '1e999'])
        expect(
          await submit(scene.ada, `/org/works/teams/crew/action/${field === 'iid' ? 'remove_invite' : 'remove'}`, {
            [field]: odd,
          }),
        ).not.to.match(/^5/);
  });

  it('create and change one, with refusals at the fields', async () => {
    const form = { team_name: 'builders', description: 'They build', visibility: 'limited', permission: 'read' };
    const refused = await submit(scene.ada, '/org/works/teams/new', {
      ...form,
      team_name: 'two words',
      unit_code: 'read',
    });
    expect(marked(refused)).to.equal(['team_name']);
    expect(refused).to.include('They build');
    expect(marked(await submit(scene.ada, '/org/works/teams/new', { ...form, team_name: 'CREW' }))).to.equal([
      'team_name',
    ]);
    const to = await submit(scene.ada, '/org/works/teams/new', {
      ...form,
      unit_code: 'write',
      can_create_org_repo: 'on',
    });
    expect(to).to.equal('/org/works/teams/builders');
    const found = async (name: string) =>
      ((await send(scene.ada, 'GET', '/orgs/works/teams')).json as Record<string, unknown>[]).find(
        (one) => one.name === name,
      );
    expect(await found('builders')).to.include({
      visibility: 'limited',
      can_create_org_repo: true,
      includes_all_repositories: false,
      description: 'They build',
    });
    expect((await found('builders'))!.units_map).to.include({ 'repo.code': 'write' });
    const edit = '/org/works/teams/builders/edit';
    expect(await look(scene.ada, edit)).to.match(/name="unit_code" value="write" checked/);
    expect(await submit(scene.ben, edit, form)).to.match(/^403/);
    const renamed = await submit(scene.ada, edit, {
      ...form,
      team_name: 'masons',
      permission: 'admin',
      repo_access: 'all',
    });
    expect(renamed).to.equal('/org/works/teams/masons/edit?saved=1');
    expect(await found('masons')).to.include({ permission: 'admin', includes_all_repositories: true });
    const owners = await submit(scene.ada, '/org/works/teams/owners/edit', { team_name: 'x', description: 'Ours' });
    expect(owners).to.equal('/org/works/teams/owners/edit?saved=1');
    expect(await found('Owners')).to.include({ description: 'Ours', permission: 'owner' });
    expect(await submit(scene.ada, '/org/works/teams/owners/delete')).to.match(/^422.*cannot be deleted/s);
    expect(await submit(scene.ada, '/org/works/teams/masons/delete')).to.equal('/org/works/teams?deleted=masons');
    expect(await statusOf(scene.ada, '/org/works/teams/masons')).to.equal(404);
  });

  it('add and remove people; owners join, members leave', async () => {
    const base = '/org/works/teams/limited';
    const id = await makeTeam(scene, 'works', 'walkers');
    const walkers = '/org/works/teams/walkers';
    expect(await look(scene.ada, walkers)).to.include('data-suggest="user"');
    for (const uname of ['', 'nobody', 'works'])
      expect(marked(await submit(scene.ada, `${walkers}/action/add`, { uname })), uname).to.equal(['uname']);
    expect(await submit(scene.ada, `${walkers}/action/add`, { uname: 'Ben' })).to.equal(`${walkers}?saved=1`);
    expect(await names(`/teams/${id}/members`)).to.equal(['ben']);
    expect(await submit(scene.ben, `${base}/action/add`, { uname: 'cat' })).to.match(/^403/);
    expect(await submit(scene.ben, `${base}/action/join`)).to.match(/^403/);
    expect(await submit(scene.ada, `${walkers}/action/join`)).to.equal(`${walkers}?saved=1`);
    expect(await names(`/teams/${id}/members`)).to.equal(['ada', 'ben']);
    expect(await submit(scene.ben, `${walkers}/action/leave`)).to.equal('/works');
    const ada = String(scene.ada.account.id);
    expect(await submit(scene.ada, `${walkers}/action/remove`, { uid: ada })).to.equal(`${walkers}?saved=1`);
    expect(await names(`/teams/${id}/members`)).to.equal([]);
    expect(await submit(scene.ada, '/org/works/teams/owners/action/leave')).to.match(/^422.*The last owner/s);
  });

  it('give repositories to a team and take them', async () => {
    const id = await makeTeam(scene, 'works', 'drivers', ['ben']);
    const act = '/org/works/teams/drivers/action/repo';
    const list = '/org/works/teams/drivers/repositories';
    for (const repo_name of ['', 'none', 'works/none'])
      expect(marked(await submit(scene.ada, `${act}/add`, { repo_name })), repo_name).to.equal(['repo_name']);
    for (const repo_name of ['engine', 'works/plans'])
      expect(await submit(scene.ada, `${act}/add`, { repo_name })).to.equal(`${list}?saved=1`);
    expect(await names(`/teams/${id}/repos`)).to.equal(['engine', 'plans']);
    expect(await look(scene.ben, list)).to.include('works/plans');
    expect(await look(scene.ben, list)).not.to.include('action/repo/');
    expect(await submit(scene.ben, `${act}/add`, { repo_name: 'gear' })).to.match(/^422.*Only owners/s);
    expect(await submit(scene.ben, `${act}/addall`)).to.match(/^403/);
    const { id: engine } = (await send(scene.ada, 'GET', '/repos/works/engine')).json as { id: number };
    expect(await submit(scene.ada, `${act}/remove`, { repoid: String(engine) })).to.equal(`${list}?saved=1`);
    expect(await names(`/teams/${id}/repos`)).to.equal(['plans']);
    await submit(scene.ada, `${act}/addall`);
    expect(await names(`/teams/${id}/repos`)).to.equal(['engine', 'gear', 'plans']);
    expect(await look(scene.ada, '/org/works/teams')).to.include('3 repositories');
    await submit(scene.ada, `${act}/removeall`);
    expect(await names(`/teams/${id}/repos`)).to.equal([]);
    expect(await look(scene.ben, list)).not.to.include('works/plans');
  });
});
