import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pageIn } from '@mortise/plugin-sdk/testing';
import { send } from '@mortise/repositories/testing';
import { look, makeOrganization, makeTeam, marked, startPages, statusOf, submit, type PageScene } from './page-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('pages of organizations', () => {
  let scene: PageScene;

  before(async () => {
    scene = await startPages(['activity', 'webhooks', 'admin', 'sessions']);
    await makeOrganization(scene, 'works', {
      full_name: 'The Works',
      description: 'We build.',
      website: 'https://example.com/works',
      location: 'Here',
      email: 'works@example.com',
    });
    await makeTeam(scene, 'works', 'secret', []);
    await send(scene.ada, 'POST', '/orgs/works/repos', { name: 'engine' });
    await send(scene.ada, 'POST', '/orgs/works/repos', { name: 'plans', private: true });
    await makeOrganization(scene, 'hidden', { visibility: 'private' });
    await makeOrganization(scene, 'half', { visibility: 'limited' });
    await send(scene.ada, 'PUT', '/orgs/works/public_members/ada');
  });
  after(() => scene.host.close());

  it('show what the organization says of itself, and its repositories as far as they may be seen', async () => {
    const page = await look(scene.host, '/works');
    expect(page).to.include(['The Works', 'We build.', 'https://example.com/works', 'Here', 'works/engine']);
    expect(page).not.to.include(['works/plans', 'works@example.com', '/org/works/teams', '/org/works/settings']);
    expect(await look(scene.ada, '/works')).to.include([
      'works/plans',
      'works@example.com',
      '/org/works/settings',
      '/org/works/teams/secret',
      '/repo/create?org=works',
    ]);
    const ben = await look(scene.ben, '/works');
    expect(ben).to.include('/org/works/teams/crew');
    expect(ben).not.to.include(['/org/works/settings', '/org/works/teams/secret', '/repo/create?org=works']);
    expect(await look(scene.host, '/works?q=nothing-like-it')).not.to.include('works/engine');
    expect(await look(scene.host, '/works?tab=activity')).to.include('works.rss');
    expect(await look(scene.host, '/works')).not.to.include('?tab=stars');
    expect(await pageIn(scene.ada, 'de', '/works')).to.include(['Mitglieder', 'Neues Repository']);
    expect(await pageIn(scene.ada, 'zh-CN', '/works')).to.include(['成员', '新建仓库']);
  });

  it('are there for those who may know of the organization', async () => {
    for (const path of ['/NAME', '/org/NAME/members']) {
      const seen = (by: Parameters<typeof statusOf>[0]) =>
        Promise.all(['hidden', 'half'].map((name) => statusOf(by, path.replace('NAME', name))));
      expect(await seen(scene.host), path).to.equal([404, 404]);
      expect(await seen(scene.cat), path).to.equal([404, 200]);
      expect(await seen(scene.ben), path).to.equal([200, 200]);
      expect(await seen(scene.root), path).to.equal([200, 200]);
    }
  });

  it('list people: all to members, to others those who are shown in public', async () => {
    const names = async (by: Parameters<typeof look>[0]) => {
      const page = await look(by, '/org/works/members');
      return ['ada', 'ben'].filter((name) => page.includes(`<a class="text-bold" href="/${name}">`));
    };
    expect(await names(scene.host)).to.equal(['ada']);
    expect(await names(scene.cat)).to.equal(['ada']);
    expect(await names(scene.ben)).to.equal(['ada', 'ben']);
    const page = await look(scene.cat, '/works');
    expect([page.includes('alt="ada"'), page.includes('alt="ben"')]).to.equal([true, false]);
  });

  it('show and hide memberships, remove people and let them leave', async () => {
    await makeOrganization(scene, 'club');
    const users = (await send(scene.root, 'GET', '/admin/users')).json as { id: number; login: string }[];
    const id = (name: string) => users.find(({ login }) => login === name)!.id;
    const act = (by: PageScene['ada'], action: string, uid?: number) =>
      submit(by, `/org/club/members/action/${action}`, uid === undefined ? {} : { uid: String(uid) });
    expect(await act(scene.ben, 'public', id('ben'))).to.equal('/org/club/members?saved=1');
    expect(await look(scene.host, '/org/club/members')).to.include('href="/ben"');
    expect(await act(scene.ben, 'public', id('ada'))).to.match(/^422.*Only owners/s);
    expect(await act(scene.ada, 'private', id('ben'))).to.equal('/org/club/members?saved=1');
    expect(await look(scene.host, '/org/club/members')).not.to.include('href="/ben"');
    expect(await act(scene.ben, 'remove', id('ada'))).to.match(/^422/);
    expect(await act(scene.ada, 'leave')).to.match(/^422.*The last owner cannot leave/s);
    expect(await act(scene.ben, 'leave')).to.equal('/user/settings/organization?saved=1');
    expect((await send(scene.ben, 'GET', '/user/orgs')).json.map((one: { name: string }) => one.name)).not.to.include(
      'club',
    );
    await makeTeam(scene, 'club', 'guests', ['ben']);
    expect(await act(scene.ada, 'remove', id('ben'))).to.equal('/org/club/members?saved=1');
    expect(await look(scene.ada, '/org/club/members')).not.to.include('href="/ben"');
    const anonymous = await submit(scene.host as never, '/org/club/members/action/leave');
    expect(anonymous).to.match(/^(401|403|\/user\/login)/);
  });

  it('create one, with the refusal at the field', async () => {
    expect(await look(scene.cat, '/org/create')).to.include('Create organization');
    for (const name of ['', 'ada', 'two words', 'org'])
      expect(marked(await submit(scene.cat, '/org/create', { org_name: name, visibility: 'public' })), name).to.equal([
        'org_name',
      ]);
    expect(await submit(scene.cat, '/org/create', { org_name: 'odd', visibility: 'odd' })).to.match(/^422/);
    const to = await submit(scene.cat, '/org/create', { org_name: 'cats', visibility: 'private' });
    expect(to).to.equal('/cats');
    expect((await send(scene.cat, 'GET', '/orgs/cats')).json.visibility).to.equal('private');
    expect(await look(scene.cat, '/')).to.include('href="/org/create"');
    expect(await statusOf(scene.host, '/org/create')).to.be.above(300);
  });

  it('stand in lists of people and of the site, as far as they may be known', async () => {
    const listed = async (by: Parameters<typeof look>[0]) => {
      const page = await look(by, '/explore/organizations');
      return ['works', 'half', 'hidden'].filter((name) => page.includes(`href="/${name}"`));
    };
    expect(await listed(scene.host)).to.equal(['works']);
    expect(await listed(scene.cat)).to.equal(['works', 'half']);
    expect(await listed(scene.ben)).to.equal(['works', 'half', 'hidden']);
    expect(await look(scene.host, '/explore/organizations?q=nobody')).to.include('No matching organizations');
    for (const path of ['/explore/repos', '/explore/users'])
      expect(await look(scene.host, path)).to.include('href="/explore/organizations"');
    expect(await look(scene.ben, '/user/settings/organization')).to.include(['href="/works"', 'href="/hidden"']);
    expect(await look(scene.ben, '/')).to.include('href="/hidden"');
    // of ada everybody knows works alone, of ben nobody knows any
    const profile = async (by: Parameters<typeof look>[0], name: string) => {
      const page = await look(by, `/${name}`);
      return ['works', 'half', 'hidden'].filter((one) => page.includes(`href="/${one}"`));
    };
    expect(await profile(scene.cat, 'ada')).to.equal(['works']);
    expect(await profile(scene.cat, 'ben')).to.equal([]);
    expect(await profile(scene.root, 'ben')).to.equal(['works', 'half', 'hidden']);
    // what is shown in public of limited organizations is for people who are signed in
    await send(scene.ada, 'PUT', '/orgs/half/public_members/ada');
    expect(await profile(scene.host, 'ada')).to.equal(['works']);
    expect(await profile(scene.cat, 'ada')).to.equal(['works', 'half']);
    const dashboard = await scene.cat.inject('/org/works/dashboard');
    expect([dashboard.statusCode, dashboard.headers.location]).to.equal([303, '/works?tab=activity']);
  });

  it('are listed for administrators, with what they have', async () => {
    const url = '/-/admin/orgs';
    const rows = (page: string) =>
      [...page.matchAll(/<a class="text-bold wb-break-word" href="\/([^"]*)">/g)].map(([, name]) => name!);
    const page = await look(scene.root, `${url}?q=works`);
    expect(rows(page)).to.equal(['works']);
    expect(page).to.match(/<td>2<\/td><td>3<\/td><td>2<\/td>/);
    expect(page).to.include(['/org/works/settings"', '/org/works/settings/delete"']);
    const sorted = rows(await look(scene.root, `${url}?sort=created&order=desc`));
    expect(sorted.indexOf('half')).to.be.below(sorted.indexOf('works'));
    expect(await statusOf(scene.ada, url)).to.equal(403);
    expect(await look(scene.root, '/-/admin')).to.include(url);
  });

  it('ADM: are made, renamed and deleted by command', async () => {
    const { host } = scene;
    await host.command('admin org create', {
      name: 'guild',
      owner: 'ada',
      fullName: 'The Guild',
      visibility: 'private',
    });
    expect((await send(scene.ada, 'GET', '/orgs/guild')).json).to.include({
      full_name: 'The Guild',
      visibility: 'private',
    });
    for (const wrong of [
      { name: 'guild', owner: 'ada' },
      { name: 'other', owner: 'nobody' },
      { name: 'other', owner: 'ada', visibility: 'secret' },
    ])
      await expect(host.command('admin org create', wrong)).to.reject();
    await host.command('admin org rename', { name: 'guild', newName: 'union' });
    expect((await send(scene.ada, 'GET', '/orgs/union')).json.username).to.equal('union');
    const names = async () => (await host.command('admin org list')).slice(1).map((line) => line.split('\t')[1]);
    expect(await names()).to.include(['union', 'works']);
    await send(scene.ada, 'POST', '/orgs/union/repos', { name: 'hall' });
    await expect(host.command('admin org delete', { name: 'union' })).to.reject();
    await host.command('admin org delete', { name: 'union', purge: true });
    expect(await names()).not.to.include('union');
    await expect(host.command('admin org delete', { name: 'ada' })).to.reject(/does not exist/);
  });
});
