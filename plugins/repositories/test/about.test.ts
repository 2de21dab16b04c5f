import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { repositories } from '../api.js';
import { base64, commitFiles, png, send, startScene, type Scene } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('what is told about a repository', () => {
  let scene: Scene;
  const path = '/repos/ada/desk';
  before(async () => {
    scene = await startScene({ plugins: ['refs', 'files', 'stars', 'forks', 'issues'] });
    await send(scene.ada, 'POST', '/user/repos', { name: 'desk', auto_init: true, license: 'Apache-2.0' });
    await scene.host.settle();
  });
  after(() => scene.host.close());

  it('knows licences by their text', async () => {
    expect((await send(scene.ben, 'GET', `${path}/licenses`)).json).to.equal(['Apache-2.0']);
    expect((await send(scene.ben, 'GET', path)).json.licenses).to.equal(['Apache-2.0']);
  });

  it('U5: knows a licence behind a symbolic link', async () => {
    await send(scene.ada, 'POST', '/user/repos', { name: 'linked', auto_init: true });
    const text = (await send(scene.ada, 'GET', '/licenses/Apache-2.0')).json.body as string;
    const repository = (await scene.host.services.get(repositories).byPath('ada', 'linked'))!;
    await commitFiles(scene.host, repository, { 'texts/apache': text, LICENSE: '-> texts/apache' });
    expect((await send(scene.ben, 'GET', '/repos/ada/linked/licenses')).json).to.equal(['Apache-2.0']);
  });

  it('keeps the licences of the default branch in the record, by what the files say', async () => {
    await send(scene.ada, 'POST', '/user/repos', { name: 'papers', auto_init: true });
    const papers = '/repos/ada/papers';
    const text = async (key: string) => (await send(scene.ada, 'GET', `/licenses/${key}`)).json.body as string;
    const mit = (await text('MIT')).replace(/<year>|\[year\]/g, '2019').replace(/<copyright holders>/g, 'Ada & Ben');
    const change = async (files: object[], more: object = {}) => {
      const answer = await send(scene.ada, 'POST', `${papers}/contents`, { files, message: 'licences', ...more });
      expect(answer.statusCode, answer.payload).to.equal(201);
      await scene.host.settle();
      return answer.json.files.map((one: { sha: string }) => one?.sha) as string[];
    };
    const told = async () => {
      const [list, record] = await Promise.all([
        send(scene.ben, 'GET', `${papers}/licenses`),
        send(scene.ben, 'GET', papers),
      ]);
      expect(record.json.licenses).to.equal(list.json);
      return record.json.licenses;
    };
    const write = (path: string, content: string) => ({ operation: 'create', path, content: base64(content) });
    expect(await told()).to.equal([]);
    await change([write('docs/LICENSE', mit), write('LICENSE.side', 'as you like it')]);
    expect(await told(), 'in a folder, or of its own kind').to.equal([]);
    await change([write('LICENSE', mit)], { new_branch: 'side' });
    expect(await told(), 'of another branch').to.equal([]);
    const [sha] = await change([write('LICENSE', mit), write('COPYING', await text('GPL-3.0-only'))]);
    const both = await told();
    expect(both).to.have.length(2);
    expect(both).to.include('MIT');
    expect(both.find((key: string) => key !== 'MIT')).to.match(/^GPL-3\.0/);
    await change([{ operation: 'delete', path: 'LICENSE', sha }]);
    expect(await told()).to.equal(both.filter((key: string) => key !== 'MIT'));
  });

  it('who is offered a repository finds it among their own', async () => {
    await send(scene.ada, 'POST', '/user/repos', { name: 'offered', private: true });
    const names = async (client: Scene['ada'], path: string) =>
      ((await send(client, 'GET', path)).json as { name: string }[]).map(({ name }) => name);
    expect(await names(scene.ben, '/user/repos')).to.not.include('offered');
    await send(scene.ada, 'POST', '/repos/ada/offered/transfer', { new_owner: 'ben' });
    expect(await names(scene.ben, '/user/repos')).to.include('offered');
    expect(await names(scene.root, '/users/ben/repos')).to.not.include('offered');
    await send(scene.ada, 'POST', '/repos/ada/offered/transfer/reject');
    await send(scene.ben, 'POST', '/repos/ada/offered/transfer/reject');
    expect(await names(scene.ben, '/user/repos')).to.not.include('offered');
  });

  it('takes pictures, serves them, and nothing else as one', async () => {
    const upload = (image: string) => send(scene.ada, 'POST', `${path}/avatar`, { image });
    expect((await upload('not base64!')).statusCode).to.equal(400);
    expect((await upload(base64('<svg onload="x()">'))).statusCode).to.equal(422);
    const wide = Buffer.from(png);
    wide.writeUInt32BE(30_000, 16);
    for (const bad of [wide, png.subarray(0, 18), Buffer.from('\x89PNG<script>', 'latin1'), Buffer.from('GIF89a')])
      expect((await upload(bad.toString('base64'))).statusCode).to.equal(422);
    expect((await upload(png.toString('base64'))).statusCode).to.equal(204);
    expect((await send(scene.ben, 'POST', `${path}/avatar`, { image: png.toString('base64') })).statusCode).to.equal(
      403,
    );
    const address = (await send(scene.ada, 'GET', path)).json.avatar_url as string;
    const picture = await scene.ben.inject(new URL(address).pathname);
    expect(picture.headers['content-type']).to.equal('image/png');
    expect(picture.headers['content-security-policy']).to.include('sandbox');
    expect(picture.rawPayload.equals(png)).to.be.true();
    expect((await send(scene.ada, 'DELETE', `${path}/avatar`)).statusCode).to.equal(204);
    expect((await send(scene.ada, 'GET', path)).json.avatar_url).to.equal('');
    for (const key of ['..%2f..%2fx', '0'.repeat(64), 'x'])
      expect((await scene.ben.inject(`/repo-avatars/${key}`)).statusCode, key).to.equal(404);
  });

  it('tells topics of hidden repositories to nobody else', async () => {
    await send(scene.ada, 'POST', '/user/repos', { name: 'hidden', private: true });
    await send(scene.ada, 'PUT', '/repos/ada/hidden/topics', { topics: ['undisclosed'] });
    const found = async (client: Scene['ada']) =>
      (await send(client, 'GET', '/topics/search?q=undisc')).json.topics.length;
    expect([
      await found(scene.ada),
      await found(scene.root),
      await found(scene.ben),
      await found(scene.host as never),
    ]).to.equal([1, 1, 0, 0]);
    await send(scene.ben, 'POST', '/user/repos', { name: 'shown' });
    await send(scene.ben, 'PUT', '/repos/ben/shown/topics', { topics: ['undisclosed'] });
    const counted = async (client: Scene['ada']) =>
      (await send(client, 'GET', '/topics/search?q=undisc')).json.topics[0].repo_count;
    expect([await counted(scene.ada), await counted(scene.ben)]).to.equal([2, 1]);
  });

  it('pages lists in objects, whatever stands for the page (GEN-07)', async () => {
    for (const query of ['page=abc', 'page=1.5', 'page=99999999999999999999', 'page=', 'limit=-1', 'page=1&page=2'])
      for (const list of ['/repos/search', '/topics/search', `${path}/topics`])
        expect([query, (await send(scene.ada, 'GET', `${list}?${query}`)).statusCode]).to.equal([query, 200]);
    const two = (await send(scene.ada, 'GET', '/repos/search?limit=1&page=2')).json.data;
    expect(two.length).to.equal(1);
  });

  it('ISS: units elsewhere, and rights when code is off', async () => {
    const edit = (body: object) => send(scene.ada, 'PATCH', path, body);
    const outside = { has_issues: true, external_tracker: { external_tracker_url: 'https://bugs.example.com/' } };
    expect((await edit(outside)).json.external_tracker.external_tracker_style).to.equal('numeric');
    expect((await edit({ has_issues: true, external_tracker: { external_tracker_url: 'x' } })).statusCode).to.equal(
      422,
    );
    expect((await edit({ has_issues: true })).json.internal_tracker.enable_time_tracker).to.be.true();
    expect((await edit({ projects_mode: 'some' })).statusCode).to.equal(422);
    await edit({ has_code: false });
    expect((await send(scene.ben, 'GET', `${path}/contents`)).statusCode).to.equal(403);
    expect((await send(scene.ben, 'GET', path)).json.permissions).to.equal({ admin: false, push: false, pull: false });
    await edit({ has_code: true });
    expect((await send(scene.ben, 'GET', `${path}/contents`)).statusCode).to.equal(200);
  });

  it('names who can be assigned and asked', async () => {
    await send(scene.ada, 'PUT', `${path}/collaborators/ben`, { permission: 'read' });
    const names = async (list: string) =>
      ((await send(scene.ada, 'GET', `${path}/${list}`)).json as { login: string }[]).map((one) => one.login);
    expect(await names('assignees')).to.equal(['ada']);
    expect(await names('reviewers')).to.equal(['ben', 'ada']);
    expect((await send(scene.ada, 'GET', `${path}/assignees/ben`)).statusCode).to.equal(404);
    expect((await send(scene.ada, 'GET', `${path}/assignees/ada`)).statusCode).to.equal(204);
  });
});
