import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestClient } from '@mortise/plugin-sdk/testing';
import { send, startScene, type Scene } from '@mortise/repositories/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { organizations as organizationsRef } from '../api.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('organizations', () => {
  let scene: Scene;
  let cat: TestClient;
  const accounts = () => scene.host.services.get(accountsRef);
  const status = async (by: TestClient | Scene['host'], method: string, path: string, payload?: object) =>
    (await send(by as TestClient, method, path, payload)).statusCode;
  const made = async (name: string, more = {}) =>
    (await send(scene.ada, 'POST', '/orgs', { username: name, ...more })).json;
  const team = async (org: string, name: string, more: object) =>
    (await send(scene.ada, 'POST', `/orgs/${org}/teams`, { name, units: ['repo.code'], permission: 'read', ...more }))
      .json.id as number;
  const join = (id: number, name: string) => send(scene.ada, 'PUT', `/teams/${id}/members/${name}`);

  before(async () => {
    scene = await startScene({
      plugins: ['organizations', 'repositories', 'stars', 'forks', 'activity', 'time-tracking', 'pulls'],
    });
    const account = await accounts().create({ name: 'cat', email: 'cat@example.com', password: 'long enough' });
    cat = scene.host.as(accounts().actorOf(account, 'test'));
  });
  after(() => scene.host.close());

  it('ORG-04, ORG-05, ORG-06: the record, its maker as the first owner', async () => {
    const record = await made('works', {
      full_name: 'Works',
      email: 'works@example.com',
      website: 'https://example.com',
    });
    expect(record).to.include({ name: 'works', username: 'works', full_name: 'Works', visibility: 'public' });
    expect(record.repo_admin_change_team_access).to.be.false();
    const [owners] = (await send(scene.ada, 'GET', '/orgs/works/teams')).json;
    expect(owners).to.include({ name: 'Owners', permission: 'owner', includes_all_repositories: true });
    const members = (await send(scene.ada, 'GET', '/orgs/works/members')).json;
    expect(members.map((one: { login: string }) => one.login)).to.equal(['ada']);
    for (const bad of [
      { username: 'works' },
      { username: 'ada' },
      { username: 'two words' },
      { username: 'odd', website: 'nowhere' },
      { username: 'odd', email: 'nobody' },
      { username: 'odd', description: 'd'.repeat(256) },
    ])
      expect(await status(scene.ben, 'POST', '/orgs', bad)).to.equal(422);
    expect(await status(scene.ben, 'GET', '/orgs/odd')).to.equal(404);
  });

  it('ORG-15: is seen as its visibility says, by members always; lists of the organizations of a user say the same', async () => {
    await made('hidden', { visibility: 'private' });
    await made('half', { visibility: 'limited' });
    const crew = await team('hidden', 'crew', {});
    await join(crew, 'ben');
    const seen = (by: TestClient | Scene['host']) =>
      Promise.all(['hidden', 'half'].map((name) => status(by, 'GET', `/orgs/${name}`)));
    expect(await seen(scene.host)).to.equal([404, 404]);
    expect(await seen(cat)).to.equal([404, 200]);
    expect(await seen(scene.ben)).to.equal([200, 200]);
    expect(await seen(scene.root)).to.equal([200, 200]);
    const users = async (by: TestClient) => (await send(by, 'GET', '/users/hidden')).statusCode;
    expect([await users(cat), await users(scene.ben)]).to.equal([404, 200]);
    const ofBen = async (by: TestClient) =>
      (await send(by, 'GET', '/users/ben/orgs')).json.map((one: { name: string }) => one.name);
    expect(await ofBen(scene.ben)).to.equal(['hidden']);
    expect(await ofBen(cat)).to.equal([]);
    await send(scene.ben, 'PUT', '/orgs/hidden/public_members/ben');
    expect(await ofBen(cat)).to.equal([]);
    expect(await ofBen(scene.root)).to.equal(['hidden']);
  });

  it('GEN-06, GEN-11: nobody is led to a hidden one by its people and labels; the rest asks to sign in', async () => {
    await made('cellar', { visibility: 'private' });
    await made('yard');
    const { id } = (await send(scene.ada, 'POST', '/orgs/cellar/labels', { name: 'red', color: '#ff0000' })).json;
    const asked = async (path: string, method = 'GET', body?: object) =>
      Promise.all(['yard', 'cellar'].map((name) => status(scene.host, method, `/orgs/${name}/${path}`, body)));
    for (const path of ['members', 'members/ada', `labels/${id}`]) expect(await asked(path), path).to.equal([401, 404]);
    for (const path of ['members/ada', 'public_members/ada', `labels/${id}`])
      expect(await asked(path, 'DELETE'), path).to.equal([401, 404]);
    expect(await asked('labels', 'POST', { name: 'blue', color: '#0000ff' })).to.equal([401, 404]);
    for (const path of ['teams', 'blocks']) expect(await asked(path), path).to.equal([401, 401]);
  });

  it('C8: an organization blocks no members and no owners, and lets nobody in that is not blocked', async () => {
    await made('strict');
    await join(await team('strict', 'crew', {}), 'ben');
    const block = (name: string, method = 'PUT') => status(scene.ada, method, `/orgs/strict/blocks/${name}`);
    expect([await block('ben'), await block('ada'), await block('cat', 'DELETE')]).to.equal([400, 400, 400]);
    expect([await block('cat'), await block('cat'), await block('cat', 'DELETE')]).to.equal([204, 400, 204]);
    expect(await status(scene.ada, 'DELETE', '/orgs/strict/members/ben')).to.equal(204);
    expect(await block('ben')).to.equal(204);
  });

  it('TOK-15: whoever is listed for nobody is listed for each token, and nobody else', async () => {
    const ada = (await accounts().byName('ada'))!;
    const weak = scene.host.as(accounts().actorOf({ ...ada, isAdmin: true }, 'token', { scopes: { user: 'write' } }));
    for (const visibility of ['limited', 'private']) await made(visibility, { visibility });
    const [seen, open] = [await send(weak, 'GET', '/orgs'), await send(scene.host as TestClient, 'GET', '/orgs')];
    expect([seen.statusCode, seen.json.length]).to.equal([200, open.json.length]);
    expect(await status(weak, 'POST', '/orgs', { username: 'weak' })).to.equal(403);
  });

  it('private people are seen by those who share an organization with them', async () => {
    const ben = (await accounts().byName('ben'))!;
    await accounts().update(ben.id, { visibility: 'private' });
    const finds = async (by: TestClient) => (await send(by, 'GET', '/users/search?q=ben')).json.data.length;
    expect([await status(scene.ada, 'GET', '/users/ben'), await finds(scene.ada)]).to.equal([200, 1]);
    expect([await status(cat, 'GET', '/users/ben'), await finds(cat)]).to.equal([404, 0]);
    await accounts().update(ben.id, { visibility: 'public' });
  });

  it('ORG-07, ORG-08, ORG-10: rights of a team come from its units', async () => {
    await made('plant');
    await send(scene.ada, 'POST', '/orgs/plant/repos', { name: 'shed', private: true, auto_init: true });
    const coders = await team('plant', 'coders', { units: undefined, units_map: { 'repo.code': 'write' } });
    const readers = await team('plant', 'readers', { units: undefined, units_map: { 'repo.issues': 'read' } });
    const idlers = await team('plant', 'idlers', { units: undefined, units_map: { 'repo.code': 'none' } });
    for (const id of [coders, readers, idlers]) await send(scene.ada, 'PUT', `/teams/${id}/repos/plant/shed`);
    const record = async (by: TestClient) => {
      const answer = await send(by, 'GET', '/repos/plant/shed');
      return answer.statusCode === 200 ? answer.json.permissions : answer.statusCode;
    };
    const listed = async (by: TestClient) => (await send(by, 'GET', '/orgs/plant/repos')).json.length as number;
    expect([await record(scene.ben), await listed(scene.ben)]).to.equal([404, 0]);
    await join(idlers, 'ben');
    expect([await record(scene.ben), await listed(scene.ben)]).to.equal([404, 0]);
    await join(readers, 'ben');
    expect([await record(scene.ben), await listed(scene.ben)]).to.equal([
      { admin: false, push: false, pull: false },
      1,
    ]);
    await join(coders, 'ben');
    expect(await record(scene.ben)).to.equal({ admin: false, push: true, pull: true });
    const own = (await send(scene.ben, 'GET', '/user/repos')).json.map((one: { full_name: string }) => one.full_name);
    expect(own).to.include('plant/shed');
    await send(scene.ada, 'PATCH', `/teams/${coders}`, { description: 'they write' });
    const kept = (await send(scene.ada, 'GET', `/teams/${coders}`)).json;
    expect([kept.permission, kept.units_map]).to.equal(['none', { 'repo.code': 'write' }]);
    await send(scene.ada, 'DELETE', `/teams/${coders}/members/ben`);
    await send(scene.ada, 'DELETE', `/teams/${readers}/members/ben`);
    expect([await record(scene.ben), await listed(scene.ben)]).to.equal([404, 0]);
    expect(await status(scene.ada, 'POST', '/orgs/plant/teams', { name: 'nothing', permission: 'read' })).to.equal(422);
    const odd = { name: 'odd', units_map: { 'repo.code': 'owner' } };
    expect(await status(scene.ada, 'POST', '/orgs/plant/teams', odd)).to.equal(422);
  });

  it('ORG-08: issues are not there for who reads neither them nor pull requests, and who sees those asks for reviews', async () => {
    await made('foundry');
    await send(scene.ada, 'POST', '/orgs/foundry/repos', { name: 'shed', private: true });
    for (const [name, unit] of [
      ['ben', 'code'],
      ['cat', 'pulls'],
    ] as const)
      await join(await team('foundry', unit, { units: [`repo.${unit}`], includes_all_repositories: true }), name);
    const both = async (method: string, path: string, payload?: object) =>
      Promise.all([scene.ben, cat].map((by) => status(by, method, `/repos/foundry/shed/${path}`, payload)));
    expect(await both('GET', 'issues/pinned')).to.equal([404, 403]);
    expect(await both('POST', 'issues', { title: 'x' })).to.equal([404, 403]);
    expect(await both('POST', 'labels', { name: 'red', color: '#ff0000' })).to.equal([403, 403]);
    expect(await both('GET', 'times')).to.equal([404, 404]);
    expect(await both('GET', `commits/${'1'.repeat(40)}/pull`)).to.equal([404, 403]);
    expect(await both('GET', 'reviewers')).to.equal([403, 200]);
    expect(await status(scene.ada, 'GET', '/repos/foundry/shed/reviewers')).to.equal(200);
  });

  it('ORG-09: administrators hold their level on every unit, and in later repositories with all of them', async () => {
    const bosses = await team('plant', 'bosses', { permission: 'admin', includes_all_repositories: true });
    const shown = (await send(scene.ada, 'GET', `/teams/${bosses}`)).json;
    expect(new Set(Object.values(shown.units_map))).to.equal(new Set(['admin']));
    expect(shown.units).to.include(['repo.code', 'repo.issues', 'repo.actions']);
    await join(bosses, 'cat');
    await send(scene.ada, 'POST', '/orgs/plant/repos', { name: 'later', private: true });
    expect((await send(cat, 'GET', '/repos/plant/later')).json.permissions.admin).to.be.true();
    const assignees = (await send(scene.ada, 'GET', '/repos/plant/later/assignees')).json;
    expect(assignees.map((one: { login: string }) => one.login)).to.only.include(['ada', 'cat']);
    // but they are no owners of the organization
    expect(await status(cat, 'PATCH', '/orgs/plant', { location: 'elsewhere' })).to.equal(403);
    expect(await status(cat, 'POST', '/orgs/plant/teams', { name: 'more', permission: 'admin' })).to.equal(403);
    expect(await status(cat, 'PUT', `/teams/${bosses}/members/ben`)).to.equal(403);
  });

  it('whoever makes a repository administers it; others of the team do not see it', async () => {
    const makers = await team('plant', 'makers', { can_create_org_repo: true });
    await join(makers, 'ben');
    const own = await send(scene.ben, 'POST', '/orgs/plant/repos', { name: 'bens', private: true });
    expect([own.statusCode, own.json.permissions.admin]).to.equal([201, true]);
    const fork = await send(scene.ben, 'POST', '/repos/plant/bens/forks', { organization: 'plant', name: 'copy' });
    expect([fork.statusCode, fork.json.full_name]).to.equal([202, 'plant/copy']);
    expect(await status(scene.ben, 'POST', '/orgs/works/repos', { name: 'x' })).to.equal(403);
    await send(scene.ada, 'DELETE', `/teams/${makers}/members/ben`);
    expect(await status(scene.ben, 'POST', '/orgs/plant/repos', { name: 'more' })).to.equal(403);
  });

  it('the last owner stays, also when two leave at once', async () => {
    await made('pair');
    const owners = (await send(scene.ada, 'GET', '/orgs/pair/teams')).json[0].id as number;
    expect(await status(scene.ada, 'DELETE', `/teams/${owners}/members/ada`)).to.equal(422);
    expect(await status(scene.ada, 'DELETE', '/orgs/pair/members/ada')).to.equal(422);
    expect(await status(scene.ada, 'DELETE', `/teams/${owners}`)).to.equal(422);
    await join(owners, 'ben');
    const both = await Promise.all([
      status(scene.root, 'DELETE', `/teams/${owners}/members/ada`),
      status(scene.root, 'DELETE', '/orgs/pair/members/ben'),
    ]);
    expect(both.sort()).to.equal([204, 422]);
    expect((await send(scene.root, 'GET', `/teams/${owners}/members`)).json).to.have.length(1);
  });

  it('ADM-08: a person who owns an organization alone stays, or takes it along', async () => {
    const dan = await accounts().create({ name: 'dan', email: 'dan@example.com', password: 'long enough' });
    const service = scene.host.services.get(organizationsRef);
    await service.create({ name: 'dans' }, dan);
    await expect(accounts().delete(dan.id)).to.reject(/last owner of an organization/);
    await accounts().delete(dan.id, { purge: true });
    expect(await service.byName('dans')).to.be.undefined();
  });

  it('an organization is deleted when it owns nothing; its name is free again', async () => {
    await made('brief');
    await send(scene.ada, 'POST', '/orgs/brief/repos', { name: 'one' });
    expect(await status(scene.ada, 'DELETE', '/orgs/brief')).to.equal(422);
    expect(await status(scene.ben, 'DELETE', '/orgs/brief/repos')).to.equal(403);
    expect(await status(scene.ada, 'DELETE', '/orgs/brief/repos')).to.equal(202);
    await scene.host.jobs.runDue();
    expect(await status(scene.ada, 'DELETE', '/orgs/brief/repos')).to.equal(204);
    expect(await status(scene.ada, 'DELETE', '/orgs/brief')).to.equal(204);
    expect(await status(scene.ada, 'GET', '/orgs/brief')).to.equal(404);
    expect(await status(scene.ben, 'POST', '/orgs', { username: 'brief' })).to.equal(201);
    expect(await status(scene.ada, 'PATCH', '/orgs/brief', { location: 'here' })).to.equal(403);
  });

  it('a repository that goes to another owner leaves the teams', async () => {
    await made('guild');
    await send(scene.ada, 'POST', '/user/repos', { name: 'ring', private: true });
    const smiths = await team('guild', 'smiths', {});
    await join(smiths, 'ben');
    const foreign = await team('works', 'aliens', {});
    const move = (payload: object) => status(scene.ada, 'POST', '/repos/ada/ring/transfer', payload);
    expect(await move({ new_owner: 'guild', team_ids: [foreign] })).to.equal(403);
    expect(await move({ new_owner: 'guild', team_ids: [999_999] })).to.equal(422);
    expect(await move({ new_owner: 'guild', team_ids: [smiths] })).to.equal(202);
    expect(await status(scene.ben, 'GET', '/repos/guild/ring')).to.equal(200);
    expect(await status(scene.ada, 'POST', '/repos/guild/ring/transfer', { new_owner: 'ada' })).to.equal(202);
    expect(await status(scene.ben, 'GET', '/repos/ada/ring')).to.equal(404);
    expect((await send(scene.ada, 'GET', `/teams/${smiths}/repos`)).json).to.equal([]);
  });

  it('rights end when a repository goes to another owner or becomes private, though nothing else changed', async () => {
    await made('before');
    await made('after');
    await made('closed', { visibility: 'private' });
    await send(scene.ada, 'POST', '/orgs/before/repos', { name: 'moves', private: true });
    await send(scene.ada, 'POST', '/orgs/closed/repos', { name: 'hides' });
    const bosses = await team('before', 'bosses', { permission: 'admin', includes_all_repositories: true });
    const crew = await team('closed', 'crew', {});
    for (const id of [bosses, crew]) await join(id, 'ben');
    const seen = (path: string) => status(scene.ben, 'GET', path);
    expect([await seen('/repos/before/moves'), await seen('/repos/closed/hides')]).to.equal([200, 200]);
    expect(await status(scene.ada, 'POST', '/repos/before/moves/transfer', { new_owner: 'after' })).to.equal(202);
    expect(await status(scene.ada, 'PATCH', '/repos/closed/hides', { private: true })).to.equal(200);
    expect([await seen('/repos/after/moves'), await seen('/repos/closed/hides')]).to.equal([404, 404]);
  });

  it('offers and forks tell nothing of organizations and teams that somebody may not see', async () => {
    const hiddenTeam = await team('hidden', 'secret', {});
    await send(cat, 'POST', '/user/repos', { name: 'mine' });
    const offer = (payload: object) => status(cat, 'POST', '/repos/cat/mine/transfer', payload);
    expect(await offer({ new_owner: 'hidden' })).to.equal(404);
    expect(await offer({ new_owner: 'works', team_ids: [hiddenTeam] })).to.equal(403);
    expect(await offer({ new_owner: 'works', team_ids: [999_999] })).to.equal(403);
    expect(await offer({ new_owner: 'works', team_ids: Array.from({ length: 101 }, (_, id) => id) })).to.equal(422);
    await send(scene.ada, 'POST', '/user/repos', { name: 'free' });
    expect(await status(cat, 'POST', '/repos/ada/free/forks', { organization: 'hidden' })).to.equal(404);
    await send(scene.ada, 'POST', '/orgs/works/repos', { name: 'open' });
    await team('works', 'quiet', { includes_all_repositories: true });
    const teamsOf = async (by: TestClient) => (await send(by, 'GET', '/repos/works/open/teams')).json.length as number;
    expect([await teamsOf(scene.ada), await teamsOf(cat)]).to.equal([2, 0]);
    expect(await status(cat, 'GET', '/repos/works/open/teams/quiet')).to.equal(404);
  });

  it('many changes at once leave members and counts as they are', async () => {
    await made('crowd');
    const ids = await Promise.all(['one', 'two', 'three'].map((name) => team('crowd', name, {})));
    const joined = await Promise.all(ids.flatMap((id) => [join(id, 'ben'), join(id, 'ben')]));
    expect(joined.map((answer) => answer.statusCode)).to.equal(joined.map(() => 204));
    const members = async () => (await send(scene.ada, 'GET', '/orgs/crowd/members')).json.length as number;
    expect(await members()).to.equal(2);
    await Promise.all([
      status(scene.ada, 'DELETE', `/teams/${ids[0]}`),
      status(scene.ada, 'DELETE', `/teams/${ids[1]}/members/ben`),
      join(ids[0]!, 'ben'),
    ]);
    expect(await members()).to.equal(2);
    await send(scene.ada, 'DELETE', '/orgs/crowd/members/ben');
    expect(await members()).to.equal(1);
    await send(scene.ada, 'POST', '/orgs/crowd/repos', { name: 'shed' });
    const give = () => status(scene.ada, 'PUT', `/teams/${ids[2]}/repos/crowd/shed`);
    expect(await Promise.all([give(), give(), give()])).to.equal([204, 204, 204]);
  });

  it('whoever loses access to a repository does not watch it any more', async () => {
    await made('watched');
    await send(scene.ada, 'POST', '/orgs/watched/repos', { name: 'shed', private: true });
    await send(scene.ada, 'POST', '/orgs/watched/repos', { name: 'open' });
    const crew = await team('watched', 'crew', { includes_all_repositories: true });
    await join(crew, 'ben');
    for (const name of ['shed', 'open']) await send(scene.ben, 'PUT', `/repos/watched/${name}/subscription`);
    const watchers = async (name: string) =>
      (await send(scene.ada, 'GET', `/repos/watched/${name}/subscribers`)).json.map(
        (one: { login: string }) => one.login,
      );
    expect(await watchers('shed')).to.equal(['ada', 'ben']);
    await send(scene.ada, 'DELETE', `/teams/${crew}/members/ben`);
    await scene.host.settle();
    expect(await watchers('shed')).to.equal(['ada']);
    expect(await watchers('open')).to.equal(['ada', 'ben']);
  });

  it('ORG-01, ORG-02, ORG-03, ORG-11 to ORG-14: records of teams have their organization, and their repositories', async () => {
    await made('mill');
    for (const name of ['wheel', 'stone']) await send(scene.ada, 'POST', '/orgs/mill/repos', { name, private: true });
    const sent = { name: 'millers', units: ['repo.code'], permission: 'read', description: 'd' };
    const record = await send(scene.ada, 'POST', '/orgs/mill/teams', sent);
    expect(record.json.organization).to.include({ username: 'mill', visibility: 'public' });
    const { id } = record.json;
    const again = await send(scene.ada, 'GET', `/teams/${id}`);
    const units = { units: ['repo.code'], units_map: { 'repo.code': 'read' } };
    expect(again.json).to.include({ name: 'millers', description: 'd', includes_all_repositories: false });
    expect(again.json).to.include({ visibility: 'private', can_create_org_repo: false, ...units, permission: 'none' });
    expect([record.json.permission, again.json.organization.username]).to.equal(['none', 'mill']);
    const listed = (await send(scene.ada, 'GET', '/orgs/mill/teams')).json as { organization: unknown }[];
    expect(listed[1]!.organization).to.be.null();
    expect(await status(scene.ada, 'POST', '/orgs/mill/teams', sent)).to.equal(422);
    // members who are not in it, and others
    await join(await team('mill', 'guests', {}), 'ben');
    expect(await status(scene.ben, 'GET', `/teams/${id}`)).to.equal(403);
    expect(await status(cat, 'GET', `/teams/${id}`)).to.equal(404);
    await send(scene.ada, 'PUT', `/teams/${id}/repos/mill/wheel`);
    const names = (await send(scene.ada, 'GET', `/teams/${id}/repos`)).json as { full_name: string }[];
    expect(names.map((one) => one.full_name)).to.equal(['mill/wheel']);
    expect((await send(scene.ada, 'GET', `/teams/${id}/repos/mill/wheel`)).json.full_name).to.equal('mill/wheel');
    expect(await status(scene.ada, 'GET', `/teams/${id}/repos/mill/stone`)).to.equal(404);
  });

  it('ERR-06, ORG-18: owners and administrators show and hide members, others only themselves', async () => {
    await made('choir');
    await join(await team('choir', 'singers', {}), 'ben');
    const change = (by: TestClient, method: string, name: string) =>
      send(by, method, `/orgs/choir/public_members/${name}`);
    for (const [method, text] of [
      ['PUT', 'Cannot publicize another member'],
      ['DELETE', 'Cannot conceal another member'],
    ] as const) {
      const refused = await change(scene.ben, method, 'ada');
      expect([refused.statusCode, refused.json.message]).to.equal([403, text]);
      for (const by of [scene.ada, scene.root, scene.ben])
        expect((await change(by, method, 'ben')).statusCode).to.equal(204);
    }
  });

  it('ORG-16, ORG-17, TOK-19 to TOK-21: rights of people in it, and what tokens reach', async () => {
    await made('veil', { visibility: 'private' });
    const crew = await team('veil', 'crew', { permission: 'write', includes_all_repositories: true });
    await join(crew, 'ben');
    await send(scene.ada, 'POST', '/orgs/veil/repos', { name: 'shed', private: true });
    const rights = async (name: string) => (await send(scene.ada, 'GET', `/users/${name}/orgs/veil/permissions`)).json;
    expect(await rights('ada')).to.equal({
      is_owner: true,
      is_admin: true,
      can_write: true,
      can_read: true,
      can_create_repository: true,
    });
    expect(await rights('ben')).to.include({ is_owner: false, is_admin: false, can_create_repository: false });
    const ada = (await accounts().byName('ada'))!;
    const holding = (more: object) => scene.host.as(accounts().actorOf(ada, 'token', more));
    const open = holding({ publicOnly: true });
    expect(await status(open, 'GET', '/users/ada/orgs/veil/permissions'), 'TOK-21').to.equal(404);
    // of the owner itself nothing (TOK-26)
    expect(await status(open, 'GET', `/teams/${crew}/repos/veil/shed`), 'TOK-26').to.be.within(403, 404);
    expect(await status(open, 'GET', `/teams/${crew}/activities/feeds`)).to.equal(403);
    await made('stage');
    await send(scene.ada, 'POST', '/orgs/stage/repos', { name: 'cellar', private: true });
    const hands = await team('stage', 'hands', { includes_all_repositories: true });
    expect(await status(scene.ada, 'GET', `/teams/${hands}/repos/stage/cellar`)).to.equal(200);
    expect(await status(open, 'GET', `/teams/${hands}/repos/stage/cellar`)).to.equal(404);
    const create = (name: string, scopes: object) => status(holding({ scopes }), 'POST', '/orgs/stage/repos', { name });
    expect(await create('one', { organization: 'write' })).to.equal(403);
    expect(await create('one', { repository: 'write' })).to.equal(403);
    expect(await create('one', { organization: 'write', repository: 'write' })).to.equal(201);
  });
});
