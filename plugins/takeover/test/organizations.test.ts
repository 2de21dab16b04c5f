import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from './source.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('issue 28: organizations of a server that is taken over', () => {
  let host: TestHost;
  let source: SourceFixture;
  before(async () => {
    host = await startHost({ plugins: ['takeover', 'organizations'] });
    source = new SourceFixture();
    const time = { created_unix: 1700000000, is_active: 1 };
    source.rows(
      'user',
      { id: 7, lower_name: 'ada', name: 'ada', type: 0, email: 'ada@example.com', ...time },
      { id: 9, lower_name: 'guild', name: 'Guild', type: 1, email: '', repo_admin_change_team_access: 1, ...time },
    );
    source.rows('org_user', { id: 1, uid: 7, org_id: 9, is_public: 1 });
    source.rows(
      'team',
      { id: 3, org_id: 9, lower_name: 'owners', name: 'Owners', authorize: 4, num_members: 1 },
      { id: 4, org_id: 9, lower_name: 'crew', name: 'Crew', authorize: 2, num_members: 0 },
    );
    source.rows(
      'team_unit',
      { id: 1, org_id: 9, team_id: 3, type: 1, access_mode: 4 },
      { id: 2, org_id: 9, team_id: 4, type: 1, access_mode: 2 },
      { id: 3, org_id: 9, team_id: 4, type: 5, access_mode: 1 },
      { id: 4, org_id: 9, team_id: 4, type: 8, access_mode: 0 },
    );
    source.rows('team_user', { id: 1, org_id: 9, team_id: 3, uid: 7 });
  });
  after(async () => {
    source.close();
    await host.close();
  });

  it('come with their members, teams and the rights of teams on units', async () => {
    await host.command('takeover', { from: source.folder });
    const root = host.as({ id: 7, name: 'ada', isAdmin: true });
    const get = async (path: string) => (await root.inject(`/api/v1${path}`)).json;
    expect(await get('/orgs/guild')).to.include({ id: 9, name: 'Guild', repo_admin_change_team_access: true });
    expect((await get('/orgs/guild/public_members')).map(({ id }: { id: number }) => id)).to.equal([7]);
    expect(await get('/teams/3')).to.include({ id: 3, name: 'Owners', permission: 'owner' });
    const crew = await get('/teams/4');
    expect(crew.units_map).to.include({ 'repo.code': 'write', 'repo.wiki': 'read' });
    expect((await get('/teams/3/members')).map(({ id }: { id: number }) => id)).to.equal([7]);
  });

  it('change with the units of a team alone, and stay as they are otherwise', async () => {
    source.run('update team_unit set access_mode = 1 where id = 2');
    const lines = await host.command('takeover', { from: source.folder });
    expect(lines).to.include('organizations.teams: 2 read, 1 written, 1 unchanged, 0 removed, 0 skipped');
    expect(lines).to.include('organizations.members: 1 read, 0 written, 1 unchanged, 0 removed, 0 skipped');
    const rows = await host.database.knex()('team_unit').select().orderBy('unit');
    expect(rows.map(({ unit, mode }) => `${unit} ${mode}`)).to.equal(['code read', 'wiki read']);
  });
});
