import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { multipart } from '@mortise/plugin-sdk/testing';
import { png, send } from '@mortise/repositories/testing';
import { look, makeOrganization, marked, startPages, statusOf, submit, type PageScene } from './page-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const form = {
  full_name: 'Works',
  email: 'works@example.com',
  description: 'We build',
  website: 'https://example.com',
  location: 'Here',
  visibility: 'limited',
};

describe('settings of organizations', () => {
  let scene: PageScene;

  before(async () => {
    scene = await startPages(['webhooks', 'webhook-mortise']);
    await makeOrganization(scene, 'works');
  });
  after(() => scene.host.close());

  it('the settings pages of an organization are for its owners', async () => {
    for (const path of ['', '/blocked_users', '/delete', '/hooks']) {
      const seen = await Promise.all(
        [scene.cat, scene.ben, scene.ada, scene.root].map((by) => statusOf(by, `/org/works/settings${path}`)),
      );
      expect(seen, path).to.equal([403, 403, 200, 200]);
    }
    for (const path of ['', '/avatar/delete', '/rename', '/delete', '/blocked_users'])
      expect(await submit(scene.ben, `/org/works/settings${path}`, form), path).to.match(/^403/);
  });

  it('change what it says of itself, with refusals at the fields', async () => {
    const settings = '/org/works/settings';
    expect(marked(await submit(scene.ada, settings, { ...form, website: 'nowhere' }))).to.equal(['website']);
    expect(marked(await submit(scene.ada, settings, { ...form, email: 'nobody' }))).to.equal(['email']);
    expect(marked(await submit(scene.ada, settings, { ...form, full_name: 'f'.repeat(101) }))).to.equal(['full_name']);
    const sent = { ...form, repo_admin_change_team_access: 'on', max_repo_creation: '7' };
    expect(await submit(scene.ada, settings, sent)).to.equal(`${settings}?saved=1`);
    const record = (await send(scene.ada, 'GET', '/orgs/works')).json;
    expect(record).to.include({ ...form, repo_admin_change_team_access: true });
    // what only administrators of the site say, nobody else changes
    expect(await look(scene.ada, settings)).not.to.include('max_repo_creation');
    expect(await look(scene.root, settings)).to.match(/name="max_repo_creation"[^>]*value="-1"/);
    expect(marked(await submit(scene.root, settings, { ...form, max_repo_creation: '1.5' }))).to.equal([
      'max_repo_creation',
    ]);
    await submit(scene.root, settings, sent);
    expect(await look(scene.root, settings)).to.match(/name="max_repo_creation"[^>]*value="7"/);
  });

  it('take a picture and drop it', async () => {
    const url = '/org/works/settings/avatar';
    const upload = (value: Buffer) =>
      scene.ada.inject({
        method: 'POST',
        url,
        ...multipart([
          { name: '_csrf', value: '' },
          { name: 'avatar', value, fileName: 'a.png' },
        ]),
      });
    expect((await upload(Buffer.from('no picture'))).statusCode).to.equal(422);
    expect((await upload(png)).headers.location).to.equal('/org/works/settings?saved=1');
    const { avatar_url: address } = (await send(scene.ada, 'GET', '/orgs/works')).json as { avatar_url: string };
    expect(address).to.match(/[0-9a-f]{64}$/);
    expect(await submit(scene.ada, `${url}/delete`)).to.equal('/org/works/settings?saved=1');
    expect((await send(scene.ada, 'GET', '/orgs/works')).json.avatar_url).not.to.equal(address);
  });

  it('block people and let them be', async () => {
    const url = '/org/works/settings/blocked_users';
    for (const name of ['', 'nobody', 'works'])
      expect(marked(await submit(scene.ada, url, { name })), name).to.equal(['name']);
    expect(await submit(scene.ada, url, { name: 'cat' })).to.equal(`${url}?saved=1`);
    expect(await look(scene.ada, url)).to.include('Unblock cat');
    expect(await submit(scene.ada, url, { action: 'unblock', name: 'cat' })).to.equal(`${url}?saved=1`);
    expect(await look(scene.ada, url)).to.include('No blocked users');
  });

  it('the settings of an organization have pages for webhooks', async () => {
    const url = '/org/works/settings/hooks';
    const refused = await submit(scene.ada, `${url}/new?type=mortise`, { url: 'nowhere', active: 'true' });
    expect(marked(refused)).to.equal(['url']);
    const fields = { url: 'https://example.com/hook', content_type: 'json', events: 'push', active: 'true' };
    expect(await submit(scene.ada, `${url}/new?type=mortise`, fields)).to.match(/^\/org\/works\/settings\/hooks\/\d+$/);
    expect((await send(scene.ada, 'GET', '/orgs/works/hooks')).json).to.have.length(1);
    expect(await look(scene.ada, url)).to.include('https://example.com/hook');
  });

  it('rename it, and lead from the old name to the new one', async () => {
    const url = '/org/works/settings/rename';
    expect(marked(await submit(scene.ada, url, { new_org_name: 'ada' }))).to.equal(['new_org_name']);
    expect(await submit(scene.ada, url, { new_org_name: 'factory' })).to.equal('/org/factory/settings?saved=1');
    const moved = await scene.ada.inject('/org/works/teams/crew');
    expect([moved.statusCode, moved.headers.location]).to.equal([307, '/org/factory/teams/crew']);
  });

  it('delete it once its name is typed, and not while it owns something', async () => {
    const url = '/org/factory/settings/delete';
    await send(scene.ada, 'POST', '/orgs/factory/repos', { name: 'engine' });
    expect(marked(await submit(scene.ada, url, { org_name: 'works' }))).to.equal(['org_name']);
    expect(await submit(scene.ada, url, { org_name: 'factory' })).to.match(/^422/);
    await send(scene.ada, 'DELETE', '/repos/factory/engine');
    expect(await submit(scene.ada, url, { org_name: 'factory' })).to.equal(
      '/user/settings/organization?deleted=factory',
    );
    expect(await statusOf(scene.ada, '/factory')).to.equal(404);
  });
});
