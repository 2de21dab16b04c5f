import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { send } from '@mortise/repositories/testing';
import { look, makeOrganization, makeTeam, marked, startPages, submit, type PageScene } from './page-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** What a form offers as owners. */
const offered = (page: string) => {
  const [, field = ''] = /<select[^>]*name="owner"[^>]*>(.*?)<\/select>/s.exec(page) ?? [];
  return [...field.matchAll(/<option value="([^"]*)"/g)].map(([, name]) => name);
};

describe('the choice of an owner', () => {
  let scene: PageScene;

  before(async () => {
    scene = await startPages();
    await makeOrganization(scene, 'works');
    await makeOrganization(scene, 'guild');
    await makeTeam(scene, 'guild', 'makers', ['ben'], { can_create_org_repo: true });
    await send(scene.ada, 'POST', '/user/repos', { name: 'model', template: true, auto_init: true });
  });
  after(() => scene.host.close());

  it('offers the own account and organizations in which one may create repositories', async () => {
    expect(offered(await look(scene.ada, '/repo/create'))).to.equal(['ada', 'guild', 'works']);
    expect(offered(await look(scene.ben, '/repo/create'))).to.equal(['ben', 'guild']);
    expect(offered(await look(scene.cat, '/repo/create'))).to.equal([]);
    expect(await look(scene.ada, '/repo/create?org=works')).to.match(/<option value="works" selected/);
    // whoever may create there without belonging to it
    expect(offered(await look(scene.root, '/repo/create?org=works'))).to.equal(['root', 'works']);
    expect(offered(await look(scene.cat, '/repo/create?org=works'))).to.equal([]);
  });

  it('creates a repository for an organization, or says at the field why not', async () => {
    const create = (by: PageScene['ada'], owner: string, name: string) =>
      submit(by, '/repo/create', { owner, repo_name: name });
    expect(await create(scene.ben, 'guild', 'tool')).to.equal('/guild/tool');
    expect(await create(scene.ben, '', 'tool')).to.equal('/ben/tool');
    for (const owner of ['works', 'nobody', 'ada'])
      expect(marked(await create(scene.ben, owner, 'tool')), owner).to.equal(['owner']);
    expect(marked(await create(scene.ben, 'guild', 'tool'))).to.equal(['repo_name']);
  });

  it('forks into an organization, and knows the forks that there are', async () => {
    const fork = '/ada/model/fork';
    expect(offered(await look(scene.ben, fork))).to.equal(['ben', 'guild']);
    expect(await submit(scene.ben, fork, { owner: 'guild', repo_name: 'model' })).to.equal('/guild/model');
    const again = await look(scene.ben, fork);
    expect(again).to.include(['href="/guild/model"', 'name="repo_name"']);
    expect(await submit(scene.ben, fork, { owner: 'works', repo_name: 'model' })).to.match(/^422/);
    expect(await submit(scene.ben, fork, { repo_name: 'model' })).to.equal('/ben/model');
    const done = await look(scene.ben, fork);
    expect(done).to.include(['href="/guild/model"', 'href="/ben/model"']);
    expect(done).not.to.include('name="repo_name"');
    // one's own repository can still be forked for an organization
    expect(await look(scene.ada, fork)).to.include('name="repo_name"');
  });

  it('makes repositories of templates for an organization', async () => {
    const made = await submit(scene.ben, '/ada/model/generate', {
      owner: 'guild',
      repo_name: 'made',
      git_content: 'on',
    });
    expect(made).to.equal('/guild/made');
    expect(marked(await submit(scene.cat, '/ada/model/generate', { owner: 'guild', repo_name: 'other' }))).to.equal([]);
    expect((await send(scene.ada, 'GET', '/repos/guild/other')).statusCode).to.equal(404);
  });

  it('hands repositories over at once to organizations that are offered', async () => {
    await send(scene.ada, 'POST', '/user/repos', { name: 'gift' });
    expect(await look(scene.ada, '/ada/gift/settings')).to.match(/<datalist id="own-accounts">.*value="works"/s);
    const fields = { action: 'transfer', new_owner: 'works', confirm: 'gift' };
    expect(await submit(scene.ada, '/ada/gift/settings', fields)).to.include('/works/gift');
    expect((await send(scene.ada, 'GET', '/repos/works/gift')).statusCode).to.equal(200);
  });

  it('gives a repository that is handed over to the chosen teams of the new owner', async () => {
    await send(scene.ada, 'POST', '/user/repos', { name: 'parcel', private: true });
    const settings = '/ada/parcel/settings';
    const page = await look(scene.ada, settings);
    const choice = (team: string) => new RegExp(`name="teams" value="(\\d+)"[^>]*/> ?${team}`).exec(page)?.[1];
    expect([choice('crew'), choice('makers'), choice('Owners')].map(Boolean)).to.equal([true, true, false]);
    const fields = { action: 'transfer', new_owner: 'works', confirm: 'parcel' };
    // the team of another organization is refused, and nothing has moved
    const refused = await submit(scene.ada, settings, { ...fields, teams: choice('makers')! });
    expect(refused)
      .to.match(/^4\d\d/)
      .and.to.match(/<details[^>]* open/);
    const seen = async () => (await send(scene.ben, 'GET', '/repos/works/parcel')).statusCode;
    expect(await seen()).to.equal(404);
    const crew = /<legend[^>]*>works<\/legend>.*?name="teams" value="(\d+)"/s.exec(page)![1]!;
    expect(await submit(scene.ada, settings, { ...fields, teams: crew })).to.include('/works/parcel');
    expect(await seen()).to.equal(200);
  });
});
