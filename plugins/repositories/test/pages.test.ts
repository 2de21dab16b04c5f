import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pageIn, submitForm } from '@mortise/plugin-sdk/testing';
import { png, send, sshKey, startScene, type Scene } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('pages of repositories', () => {
  let scene: Scene;
  const page = async (url: string, by = scene.ada) => {
    const answer = await by.inject(url);
    expect(answer.statusCode, url).to.equal(200);
    return answer.payload;
  };
  before(async () => {
    scene = await startScene({ plugins: ['refs', 'files', 'stars', 'forks', 'wiki', 'issues'] });
  });
  after(() => scene.host.close());

  it('creates with every option, and shows the form again with the reason', async () => {
    expect(await page('/repo/create')).to.include('SHA-256');
    const made = await submitForm(scene.ada, '/repo/create', {
      repo_name: 'shop',
      description: 'things',
      auto_init: 'on',
      license: 'MIT',
      gitignores: 'Node',
      default_branch: 'trunk',
      object_format_name: 'sha256',
      units: 'given',
      has_code: 'on',
      has_issues: 'on',
    });
    expect(made.headers.location).to.match(/\/ada\/shop$/);
    const record = (await send(scene.ada, 'GET', '/repos/ada/shop')).json;
    expect([record.object_format_name, record.default_branch, record.has_wiki]).to.equal(['sha256', 'trunk', false]);
    expect((await send(scene.ada, 'GET', '/repos/ada/shop/contents/LICENSE')).statusCode).to.equal(200);
    const again = await submitForm(scene.ada, '/repo/create', { repo_name: 'shop', description: 'other' });
    expect(again.statusCode).to.equal(422);
    expect(again.payload).to.include('already exists').and.to.include('value="other"');
  });

  it('changes texts, topics and units, and offers only units that are there', async () => {
    const settings = '/ada/shop/settings';
    expect(await page(settings)).to.include('Danger zone');
    const saved = await submitForm(scene.ada, settings, {
      action: 'update',
      repo_name: 'shop',
      description: 'new words',
      website: 'https://example.com',
      topics: 'one two,three',
      template: 'on',
    });
    expect(saved.statusCode).to.equal(303);
    const record = async () => (await send(scene.ada, 'GET', '/repos/ada/shop')).json;
    expect(await record()).to.include({ description: 'new words', template: true, topics: ['one', 'three', 'two'] });
    const bad = await submitForm(scene.ada, settings, { action: 'update', repo_name: 'other', topics: 'Ü' });
    expect(bad.statusCode).to.equal(422);
    expect((await record()).name).to.equal('shop');
    await submitForm(scene.ada, settings, {
      action: 'units',
      has_code: 'on',
      has_issues: 'on',
      has_wiki: 'on',
      external_wiki_url: 'https://wiki.example.com',
      external_tracker_url: 'https://bugs.example.com',
    });
    const then = await record();
    expect(then.external_wiki.external_wiki_url).to.equal('https://wiki.example.com');
    expect(then.external_tracker.external_tracker_url).to.equal('https://bugs.example.com');
    // What pages do not offer stays as it was.
    expect(then).to.include({ has_projects: true, has_actions: true, has_releases: false });
    expect((await send(scene.ben, 'GET', '/repos/ada/shop/wiki/pages')).statusCode).to.equal(404);
    const form = await page(settings);
    expect(form).to.include('name="has_wiki"').and.to.include('https://wiki.example.com');
    for (const name of ['has_pull_requests', 'has_projects', 'has_actions', 'has_releases', 'allow_squash_merge'])
      expect(form).to.not.include(name);
    await submitForm(scene.ada, settings, { action: 'units', has_code: 'on', has_issues: 'on' });
    expect(await record()).to.include({
      has_wiki: false,
      internal_tracker: {
        enable_time_tracker: true,
        allow_only_contributors_to_track_time: true,
        enable_issue_dependencies: true,
      },
    });
    expect((await submitForm(scene.ada, settings, { action: 'units' })).statusCode).to.equal(422);
    for (const action of ['nothing', 'merging', 'constructor', '__proto__', ''])
      expect((await submitForm(scene.ada, settings, { action })).statusCode, action).to.equal(422);
  });

  it('the settings page takes a picture for the repository', async () => {
    const form = new FormData();
    form.append('avatar', new Blob([png], { type: 'image/png' }), 'p.png');
    const request = new Request('http://localhost/', { method: 'POST', body: form });
    const answer = await scene.ada.inject({
      method: 'POST',
      url: '/ada/shop/settings/avatar',
      headers: { 'content-type': request.headers.get('content-type')! },
      payload: Buffer.from(await request.arrayBuffer()),
    });
    expect(answer.statusCode).to.equal(303);
    expect(await page('/ada/shop/settings')).to.include('/repo-avatars/');
  });

  it('keeps collaborators and deploy keys', async () => {
    const collaborationPage = '/ada/shop/settings/collaboration';
    expect((await submitForm(scene.ada, collaborationPage, { collaborator: 'nobody' })).statusCode).to.equal(422);
    await submitForm(scene.ada, collaborationPage, { collaborator: 'ben', permission: 'write' });
    expect(await page(collaborationPage)).to.include('Permission of ben');
    await submitForm(scene.ada, collaborationPage, { remove: 'ben' });
    expect(await page(collaborationPage)).to.include('No collaborators yet');
    const keys = '/ada/shop/settings/keys';
    expect((await submitForm(scene.ada, keys, { title: 'x', key: 'nonsense' })).statusCode).to.equal(422);
    expect((await submitForm(scene.ada, keys, { title: 'machine', key: sshKey(9) })).statusCode).to.equal(303);
    const [{ id, read_only }] = (await send(scene.ada, 'GET', '/repos/ada/shop/keys')).json;
    expect(read_only).to.be.true();
    expect(await page(keys))
      .to.include('machine')
      .and.to.include('Never used');
    await submitForm(scene.ada, keys, { remove: String(id) });
    expect(await page(keys)).to.include('No deploy keys');
    expect((await scene.ben.inject(keys)).statusCode).to.equal(403);
  });

  it('stars, watches, forks, starts from a template and brings a fork up', async () => {
    expect(await page('/ada/shop', scene.ben)).to.include('action/star');
    expect((await submitForm(scene.ben, '/ada/shop/action/star', {})).statusCode).to.equal(303);
    expect(await page('/ada/shop', scene.ben)).to.include('action/unstar');
    expect(await page('/ada/shop/stars')).to.include('/ben"');
    expect(await page('/ada?tab=repositories')).to.include('new words');
    expect(await page('/ben?tab=stars')).to.include('ada / shop');
    expect(await page('/ada/shop/fork', scene.ben)).to.include('Copy the trunk branch only');
    const fork = await submitForm(scene.ben, '/ada/shop/fork', { repo_name: 'stall', only_branch: 'on' });
    expect(fork.headers.location).to.match(/\/ben\/stall$/);
    expect(await page('/ben/stall', scene.ben)).to.include('forked from');
    expect(await page('/ada/shop/forks')).to.include('ben / stall');
    expect(await page('/ada/shop/fork', scene.ben)).to.include('You already have a fork of this repository');
    expect((await submitForm(scene.ben, '/ben/stall/action/sync', {})).statusCode).to.equal(303);
    expect(await page('/ada/shop/generate', scene.ben)).to.include('Items to copy');
    const made = await submitForm(scene.ben, '/ada/shop/generate', { repo_name: 'from-form', git_content: 'on' });
    expect(made.headers.location).to.match(/\/ben\/from-form$/);
    expect((await submitForm(scene.ben, '/ada/shop/generate', { repo_name: 'none' })).statusCode).to.equal(422);
    expect((await scene.host.inject('/ada/shop/fork')).statusCode).to.be.within(302, 401);
  });

  it("speak the visitor's language", async () => {
    const german = (path: string) => pageIn(scene.ada, 'de', path);
    expect(await german('/repo/create')).to.contain(['Neues Repository', 'Standard-Branch', 'Objektformat']);
    expect(await german('/ada/shop/settings')).to.contain([
      'Gefahrenbereich',
      'Externes Wiki',
      'URL des externen Issue-Trackers',
    ]);
    expect(await german('/ada/shop/settings/collaboration')).to.contain('Noch keine Mitwirkenden');
    expect(await german('/ada/shop/settings/keys')).to.contain('Keine Deploy-Schlüssel');
    expect(await german('/user/repositories')).to.contain(['Eigene Repositories', 'Zuletzt aktualisiert']);
    expect(await german('/ada?tab=repositories')).to.contain('Alle Arten');
    expect(await german('/')).to.contain('Repository suchen');
    expect(await pageIn(scene.host, 'zh-CN', '/explore/repos')).to.contain(['探索仓库', '最近更新']);
  });

  it('says at the fields what is wrong with them, all at once', async () => {
    const wrong = async (url: string, fields: Record<string, string>) => {
      const { statusCode, payload } = await submitForm(scene.ada, url, fields);
      expect(statusCode, payload.slice(0, 200)).to.equal(422);
      expect(payload.match(/aria-invalid="true"/g)?.length).to.equal(payload.match(/class="field-error"/g)?.length);
      return [...payload.matchAll(/ id="([\w-]+)-error"/g)].map(([, id]) => id);
    };
    const created = await wrong('/repo/create', { repo_name: 'a b', default_branch: 'x..y' });
    expect(created).to.equal(['field-repo_name', 'field-default_branch']);
    const general = { action: 'update', repo_name: 'a b', website: 'ftp://x', topics: '-' };
    expect(await wrong('/ada/shop/settings', general)).to.equal(['field-repo_name', 'field-website', 'field-topics']);
    const given = { action: 'transfer', new_owner: 'no-one', confirm: 'no' };
    expect(await wrong('/ada/shop/settings', given)).to.equal(['field-new_owner', 'confirm-transfer']);
    expect(await wrong('/ada/shop/settings', { action: 'delete', confirm: 'no' })).to.equal(['confirm-delete']);
    const units = { action: 'units', has_code: 'on', external_wiki_url: 'x' };
    expect(await wrong('/ada/shop/settings', units)).to.equal(['field-external_wiki_url']);
    expect(await wrong('/ada/shop/settings/collaboration', { collaborator: 'no-one', permission: 'read' })).to.equal([
      'field-collaborator',
    ]);
    expect(await wrong('/ada/shop/settings/keys', { title: '', key: 'no' })).to.equal(['field-title', 'field-key']);
  });

  it('finds by kind, language and words', async () => {
    await scene.host.settle();
    expect(await page('/explore/repos?kind=fork'))
      .to.include('ben / stall')
      .and.not.to.include('ada / shop');
    expect(await page('/explore/repos?kind=template&sort=stars')).to.include('ada / shop');
    expect(await page('/explore/repos?q=ada/sh'))
      .to.include('ada / shop')
      .and.not.to.include('ben / stall');
    expect(await page('/explore/repos?kind=constructor&sort=__proto__&language=Zig')).to.include('No repositories');
    expect(await page('/user/repositories?q=stall', scene.ben)).to.include('ben / stall');
  });

  it('guards what is hard to undo', async () => {
    const settings = '/ada/shop/settings';
    const act = (fields: Record<string, string>, by = scene.ada) => submitForm(by, settings, fields);
    // W: the button that archives is unfolded with a sentence that asks
    expect(await page(settings, scene.ada)).to.match(
      /<summary class="btn btn-danger">Archive<\/summary>[^]*?<p>Archive ada\/shop\? Nobody can push[^]*?Archive<\/button><\/form><\/details>/,
    );
    await act({ action: 'archive' });
    expect(await page('/ada/shop')).to.include('is archived');
    await act({ action: 'unarchive' });
    expect((await act({ action: 'transfer', new_owner: 'ben', confirm: 'wrong' })).statusCode).to.equal(422);
    expect((await act({ action: 'transfer', new_owner: 'ben', confirm: 'shop' })).statusCode).to.equal(303);
    expect(await page('/ada/shop', scene.ben)).to.include('accept_transfer');
    expect((await submitForm(scene.ben, '/ada/shop/action/cancel_transfer', {})).statusCode).to.equal(403);
    await act({ action: 'cancel-transfer' });
    expect(await page('/ada/shop', scene.ben)).not.to.include('accept_transfer');
    await act({ action: 'transfer', new_owner: 'ben', confirm: 'shop' });
    expect((await submitForm(scene.ben, '/ada/shop/action/accept_transfer', {})).headers.location).to.match(
      /\/ben\/shop$/,
    );
    const own = '/ben/stall/settings';
    expect((await submitForm(scene.ben, own, { action: 'part', confirm: 'stall' })).statusCode).to.equal(303);
    expect((await send(scene.ben, 'GET', '/repos/ben/stall')).json.fork).to.be.false();
    expect((await send(scene.ben, 'GET', '/repos/ben/shop')).json.forks_count).to.equal(0);
    expect((await submitForm(scene.ben, own, { action: 'delete', confirm: 'x' })).statusCode).to.equal(422);
    expect((await submitForm(scene.ben, own, { action: 'delete', confirm: 'stall' })).statusCode).to.equal(303);
    expect((await send(scene.ben, 'GET', '/repos/ben/stall')).statusCode).to.equal(404);
  });
});
