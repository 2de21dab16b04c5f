// An organization as a team sees it: set up by its owner, joined by a member, closed to everybody else; without scripts too.
// Time: about 25 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

const secret = 'Tr1cky-passw0rd!';
const people = { grace: 'Grace Hopper', mary: '' };
const create = 'form[action$="/org/create"]';
const team = 'form[action$="/teams/new"]';

describe('organizations in a browser', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  const walks = {};

  before(async () => {
    server = await startServer();
    for (const [username, name] of Object.entries(people))
      await server.api('POST', '/admin/users', {
        body: {
          username,
          email: `${username}@example.com`,
          password: secret,
          full_name: name,
          must_change_password: false,
        },
        as: 'root:password',
      });
    browser = await launchChromium();
    const walk = async (name, who, options = {}) => {
      const page = await (await browser.newContext(options)).newPage();
      await signIn(page, server.base, who);
      walks[name] = new Walk(page, server.base);
    };
    await walk('root', 'root:password');
    await walk('grace', `grace:${secret}`, { viewport: { width: 390, height: 844 }, javaScriptEnabled: false });
    await walk('mary', `mary:${secret}`);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(() => Object.values(walks).forEach((walk) => walk.settle()));

  it('are created from the menu, with a name that is free', async () => {
    const { root } = walks;
    await root.open('/');
    await root.unfold('.site-create > summary');
    await root.follow('.site-create a[href="/org/create"]');
    await root.send(create, { org_name: 'grace', visibility: 'private' });
    await root.shows('already taken');
    expect(await root.page.locator('input[name=org_name]').inputValue()).to.equal('grace');
    await root.send(create, { org_name: 'works' });
    expect(root.path).to.equal('/works');
    await root.shows('Private');
  });

  it('get teams with rights of their own, and people whose names are offered', async () => {
    const { root } = walks;
    await root.open('/org/works/teams');
    await root.follow('a[href$="/teams/new"]');
    await root.send(team, { team_name: 'builders', unit_code: 'write', unit_wiki: 'none', visibility: 'limited' });
    expect(root.path).to.equal('/org/works/teams/builders');
    const field = root.page.locator('input[name=uname]');
    await field.pressSequentially('hop');
    await root.page.waitForSelector('datalist option[value=grace]', { state: 'attached' });
    await root.send('form[action$="/action/add"]', { uname: 'grace' });
    await root.shows('Grace Hopper');
  });

  it('own repositories, which the team gets', async () => {
    const { root } = walks;
    await root.open('/works');
    await root.follow('a[href="/repo/create?org=works"]');
    expect(await root.page.locator('select[name=owner]').inputValue()).to.equal('works');
    await root.send('form[action$="/repo/create"]', { repo_name: 'engine', auto_init: true, private: true });
    expect(root.path).to.equal('/works/engine');
    await root.open('/org/works/teams/builders/repositories');
    await root.send('form[action$="/action/repo/add"]', { repo_name: 'wagon' });
    await root.shows('There is no repository named wagon.');
    await root.send('form[action$="/action/repo/add"]', { repo_name: 'engine' });
    await root.shows('works/engine');
  });

  it('are open to members, on a phone and without scripts', async () => {
    const { grace } = walks;
    await grace.open('/');
    await grace.follow('main a[href="/works"]');
    await grace.shows('engine');
    await grace.follow('a[href="/org/works/members"]');
    await grace.shows('Hidden');
    await grace.follow('form[action$="/members/action/public"] button');
    await grace.shows('Public');
    await grace.open('/org/works/teams/builders');
    await grace.shows('Grace Hopper');
    await grace.open('/works/engine');
    await grace.open('/org/works/settings', 403);
    await grace.open('/org/works/teams/new', 403);
  });

  it('are closed to everybody else', async () => {
    const { mary } = walks;
    for (const path of [
      '/works',
      '/org/works/members',
      '/org/works/teams',
      '/org/works/teams/builders',
      '/works/engine',
    ])
      await mary.open(path, 404);
    await mary.open('/explore/organizations');
    await mary.shows('No matching organizations');
    await mary.open('/grace');
    expect(await mary.count('a[href="/works"]')).to.equal(0);
  });

  it('members leave an organization, and owners delete its teams', async () => {
    const { grace, root } = walks;
    await grace.open('/user/settings/organization');
    await grace.confirm('form[action$="/action/leave"] button');
    await grace.shows('You do not belong to any organization.');
    await grace.open('/works', 404);
    await root.open('/org/works/teams/builders/edit');
    await root.confirm('form[action$="/builders/delete"] button');
    await root.shows('builders has been deleted.', 'body');
    await root.open('/org/works/settings/delete');
    await root.send('form[action$="/settings/delete"]', { org_name: 'works' });
    await root.shows('repositories', 'body');
    await server.api('DELETE', '/repos/works/engine', { as: 'root:password' });
    await root.send('form[action$="/settings/delete"]', { org_name: 'works' });
    expect(root.path).to.equal('/user/settings/organization?deleted=works');
  });
});
