/** SCIM groups: teams of the organization that a token names (RFC 7643, 4.2). */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { BaseModel, database } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { organizations, teams } from '@mortise/organizations/api';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { directory, ScimClient } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

class CreatedRow extends BaseModel {
  static override tableName = 'team';
  declare id: number;
  declare created_at: number;
}

describe('issue 30: groups of SCIM', () => {
  let host: TestHost;
  let scim: ScimClient;
  let worksId: number;
  const ids: Record<string, string> = {};
  before(async () => {
    host = await startHost({ plugins: ['scim', 'auth-ldap'] });
    const root = await createAccount(host, 'root', { isAdmin: true });
    worksId = (await host.services.get(organizations).create({ name: 'works' }, root)).account.id;
    await host.command('admin auth add-ldap-simple', directory);
    scim = await ScimClient.make(host, 'main', { organization: 'works' });
    for (const name of ['ada', 'grace', 'linus'])
      ids[name] = (await scim.createUser(`${name}@example.com`)).json.id as string;
  });
  after(() => host.close());

  const teamOf = async (name: string) => (await host.services.get(teams).byName(worksId, name))!;
  const membersOf = async (name: string) => {
    const page = { limit: 50, offset: 0 };
    const { items } = await host.services.get(teams).members((await teamOf(name)).id, page);
    return items.map((account) => account.name);
  };
  const member = (name: string) => ({ value: ids[name]! });

  it('are teams that may read, with their members', async () => {
    const made = await scim.createGroup('R&D Équipe', { externalId: 'g1', members: [member('ada')] });
    expect([made.statusCode, made.json.displayName, made.json.members[0].value]).to.equal([201, 'R&D Équipe', ids.ada]);
    const team = await teamOf('R-D-Equipe');
    expect([team.authorization, team.units.code, await membersOf('R-D-Equipe')]).to.equal(['none', 'read', ['ada']]);
    const found = (await scim.find('Groups', 'displayName eq "r&d équipe" and externalId eq "g1"')).json;
    expect([found.totalResults, found.Resources[0].id]).to.equal([1, String(team.id)]);
    await host.services
      .get(database)
      .write(() => host.services.get(database).query(CreatedRow).findById(team.id).patch({ created_at: 1000 }));
    const { created, lastModified } = (await scim.get(`/Groups/${team.id}`)).json.meta;
    expect([Date.parse(created), Date.parse(lastModified) > 1000]).to.equal([1000, true]);
    const without = (await scim.get('/Groups?excludedAttributes=members')).json.Resources;
    expect(without.map((one: object) => 'members' in one)).to.equal([false, false]);
    expect((await scim.createGroup('R-D-Equipe')).json.scimType).to.equal('uniqueness');
    for (const name of ['Отдел 2', 'Группа 2', '開発', 'R&D 開発', '???']) {
      const { statusCode, json } = await scim.createGroup(name);
      expect([statusCode, json.displayName], name).to.equal([201, name]);
      const { name: teamName } = (await host.services.get(teams).byIds([Number(json.id)])).get(Number(json.id))!;
      expect(teamName).to.match(name === 'R&D 開発' ? /^R-D-[0-9a-f]{10}$/ : /^group-[0-9a-f]{10}$/);
      expect((await scim.createGroup(name)).json.scimType, name).to.equal('uniqueness');
      await scim.send('DELETE', `/Groups/${json.id}`);
    }
  });

  it('change their members by PATCH as providers write it, and by PUT', async () => {
    const { id } = await teamOf('R-D-Equipe');
    const path = `/Groups/${id}`;
    await scim.patch(path, {
      op: 'Add',
      path: 'members',
      value: [member('grace'), { ...member('ada'), display: 'Ada' }],
    });
    expect(await membersOf('R-D-Equipe')).to.equal(['ada', 'grace']);
    await scim.patch(path, { op: 'remove', path: `members[value eq "${ids.ada}"]` });
    expect(await membersOf('R-D-Equipe')).to.equal(['grace']);
    await scim.patch(path, { op: 'Remove', path: 'members', value: [{ ...member('grace'), type: 'User' }] });
    expect(await membersOf('R-D-Equipe')).to.equal([]);
    await scim.patch(path, { op: 'add', value: { members: [member('linus')] } });
    expect(await membersOf('R-D-Equipe')).to.equal(['linus']);
    const put = await scim.send('PUT', path, { displayName: 'Research', members: [member('ada'), member('grace')] });
    expect([put.statusCode, put.json.displayName]).to.equal([200, 'Research']);
    expect(await membersOf('Research')).to.equal(['ada', 'grace']);
    const unknown = await scim.patch(path, { op: 'add', path: 'members', value: [{ value: '9999' }] });
    expect([unknown.statusCode, unknown.json.scimType]).to.equal([400, 'invalidValue']);
    const all = await scim.patch(path, { op: 'remove', path: 'members' }, { op: 'add', path: 'members', value: [] });
    expect([all.statusCode, await membersOf('Research')]).to.equal([200, []]);
    await scim.patch(path, { op: 'replace', value: { Members: [member('ada')], displayName: 'Research' } });
    expect(await membersOf('Research')).to.equal(['ada']);
    for (const [operation, type] of [
      [{ op: 'add', path: 'members' }, 'invalidValue'],
      [{ op: 'add', path: 'members', value: ['1'] }, 'invalidValue'],
      [{ op: 'remove', path: 'members.value' }, 'invalidPath'],
      [{ op: 'replace', path: `members[value eq "${ids.ada}"].value`, value: '1' }, 'invalidPath'],
    ] as const) {
      const refused = await scim.patch(path, { op: 'add', path: 'members', value: [member('grace')] }, operation);
      expect([refused.statusCode, refused.json.scimType], JSON.stringify(operation)).to.equal([400, type]);
    }
    expect(await membersOf('Research')).to.equal(['ada']);
    await scim.patch(path, { op: 'replace', path: 'members', value: [member('ada'), member('grace')] });
    const seen = put.json.meta.version;
    expect((await scim.send('PUT', path, { displayName: 'Research' }, { 'if-match': seen })).statusCode).to.equal(200);
    expect((await scim.send('PUT', path, { displayName: 'Research' }, { 'if-match': seen })).statusCode).to.equal(412);
  });

  it('refuse more members than a request may name or change', async () => {
    const path = `/Groups/${(await teamOf('Research')).id}`;
    const some = (count: number) => Array.from({ length: count }, (_one, at) => ({ value: String(1000 + at) }));
    const named = await scim.patch(
      path,
      { op: 'add', path: 'members', value: some(15_000) },
      { op: 'remove', path: 'members', value: some(15_000) },
    );
    expect([named.json.scimType, named.json.detail]).to.equal(['tooMany', 'A request names at most 20000 members.']);
    const changed = await scim.patch(path, { op: 'add', path: 'members', value: some(1001) });
    expect([changed.json.scimType, changed.json.detail]).to.equal([
      'tooMany',
      'A request changes at most 1000 members. Add or remove the others with further requests.',
    ]);
  });

  it('keep members whom the token does not see, and site administrators', async () => {
    const other = await createAccount(host, 'other', { sourceId: 1, loginName: 'other' });
    const root = (await host.services.get(accounts).byName('root'))!;
    const team = await teamOf('Research');
    await host.services.get(teams).addMember(team, other);
    const put = await scim.send('PUT', `/Groups/${team.id}`, { displayName: 'Research', members: [member('ada')] });
    expect(put.json.members.map(({ value }: { value: string }) => value)).to.equal([ids.ada]);
    expect(await membersOf('Research')).to.equal(['ada', 'other']);
    for (const value of [String(other.id), String(root.id), '0', 'x']) {
      const refused = await scim.patch(`/Groups/${team.id}`, { op: 'add', path: 'members', value: [{ value }] });
      expect(refused.statusCode, value).to.equal(value === String(root.id) ? 403 : 400);
    }
    expect(await membersOf('Research')).to.equal(['ada', 'other']);

    await host.services.get(teams).addMember(team, root);
    const without = await scim.send('PUT', `/Groups/${team.id}`, { displayName: 'Research', members: [member('ada')] });
    expect([without.statusCode, await membersOf('Research')]).to.equal([200, ['ada', 'other', 'root']]);
    const value = [{ value: String(root.id) }];
    for (const operation of [
      { op: 'remove', path: 'members', value },
      { op: 'remove', path: `members[value eq "${root.id}"]` },
    ])
      expect((await scim.patch(`/Groups/${team.id}`, operation)).statusCode).to.equal(403);
  });

  it('are empty and not there any more when they are deleted, and come back as the same team', async () => {
    const team = await teamOf('Research');
    expect((await scim.send('DELETE', `/Groups/${team.id}`)).statusCode).to.equal(204);
    expect(await membersOf('Research')).to.equal(['other', 'root']);
    expect((await scim.get(`/Groups/${team.id}`)).statusCode).to.equal(404);
    expect((await scim.get('/Groups')).json.Resources.map((one: { displayName: string }) => one.displayName)).to.equal([
      'Owners',
    ]);
    const back = await scim.createGroup('Research', { members: [member('linus')] });
    expect([back.statusCode, back.json.id]).to.equal([201, String(team.id)]);
  });

  it('leave the owners of the organization their team', async () => {
    const { id } = await teamOf('Owners');
    expect((await scim.send('DELETE', `/Groups/${id}`)).json.scimType).to.equal('mutability');
    const renamed = await scim.patch(`/Groups/${id}`, { op: 'replace', path: 'displayName', value: 'Bosses' });
    expect(renamed.json.scimType).to.equal('mutability');
    // the only one is a site administrator, who stays
    expect((await scim.send('PUT', `/Groups/${id}`, { displayName: 'Owners' })).statusCode).to.equal(200);
    expect(await membersOf('Owners')).to.equal(['root']);
  });

  it('are those of the organization of the token alone; without one there are none', async () => {
    const none = await ScimClient.make(host, 'none');
    expect((await none.get('/Groups')).json.totalResults).to.equal(0);
    expect((await none.get(`/Groups/${(await teamOf('Research')).id}`)).statusCode).to.equal(404);
    expect((await none.createGroup('Research')).statusCode).to.equal(403);
  });
});
