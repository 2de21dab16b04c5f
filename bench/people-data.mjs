// Many people, organizations and teams, written into the tables at once: through the API they would take hours.

import { each, insert } from './data.mjs';

/**
 * Adds `crowd0` and on, `guild0` and on with as many teams each, and a private repository `work` for each of them whose
 * files are not there. The first person of the crowd owns the first organization, the second is in ten of its teams; the
 * others are in two teams each, and everybody follows the first. Gives both people and the id of a team. `knex`: within a
 * transaction.
 */
export async function addPeople(knex, { users, organizations, teams }) {
  const now = Date.now();
  const [{ last }] = await knex('user').max({ last: 'id' });
  const firstUser = Number(last) + 1;
  const firstOrganization = firstUser + users;
  const perOrganization = Math.max(11, Math.floor(teams / organizations));
  const account = (id, name, kind) => ({
    id,
    kind,
    name,
    lower_name: name,
    full_name: `${name} of many`,
    email: kind === 'user' ? `${name}@example.com` : '',
    created_at: now,
    updated_at: now,
  });
  await insert(
    knex,
    'user',
    each(users, (n) => account(firstUser + n, `crowd${n}`, 'user')),
  );
  await insert(
    knex,
    'user',
    each(organizations, (n) => account(firstOrganization + n, `guild${n}`, 'organization')),
  );
  await insert(
    knex,
    'organization',
    each(organizations, (n) => ({ account_id: firstOrganization + n })),
  );
  await insert(
    knex,
    'user_follow',
    each(users - 1, (n) => ({ user_id: firstUser + n + 1, followed_id: firstUser, created_at: now })),
  );
  const [{ lastTeam }] = await knex('team').max({ lastTeam: 'id' });
  const firstTeam = Number(lastTeam ?? 0) + 1;
  const idOfTeam = (organization, n) => firstTeam + organization * perOrganization + n;
  const rows = each(organizations * perOrganization, (at) => {
    const organization = Math.floor(at / perOrganization);
    const n = at % perOrganization;
    const isOwners = n === 0;
    return {
      id: firstTeam + at,
      organization_id: firstOrganization + organization,
      name: isOwners ? 'Owners' : `team${n}`,
      lower_name: isOwners ? 'owners' : `team${n}`,
      authorization: isOwners ? 'owner' : 'none',
      gives_access: true,
      includes_all_repositories: true,
      visibility: 'limited',
      created_at: now,
      updated_at: now,
    };
  });
  await insert(knex, 'team', rows);
  await insert(
    knex,
    'team_unit',
    rows
      .filter(({ authorization }) => authorization === 'none')
      .flatMap(({ id }) => [
        { team_id: id, unit: 'code', mode: 'write' },
        { team_id: id, unit: 'issues', mode: 'read' },
      ]),
  );
  const seats = new Map();
  const seat = (organization, n, user) =>
    seats.set(`${idOfTeam(organization, n)} ${user}`, {
      team_id: idOfTeam(organization, n),
      user_id: firstUser + user,
      organization_id: firstOrganization + organization,
    });
  for (let organization = 0; organization < organizations; organization++) seat(organization, 0, organization % users);
  for (let n = 1; n <= 10; n++) seat(0, n, 1);
  for (let user = 2; user < users; user++)
    for (const step of [0, 1])
      seat(
        (user + step) % organizations,
        1 + ((Math.floor(user / organizations) + step) % (perOrganization - 1)),
        user,
      );
  await insert(knex, 'team_member', [...seats.values()]);
  const members = new Map(
    [...seats.values()].map(({ organization_id: organization, user_id: user }) => [
      `${organization} ${user}`,
      { organization_id: organization, user_id: user, is_public: user % 2 === 0 },
    ]),
  );
  await insert(knex, 'organization_member', [...members.values()]);
  const units = JSON.stringify(
    ['code', 'issues', 'pulls', 'releases', 'wiki'].map((key) => ({ key, enabled: true, config: {} })),
  );
  await insert(
    knex,
    'repository',
    each(organizations, (n) => ({
      owner_id: firstOrganization + n,
      owner_name: `guild${n}`,
      lower_owner_name: `guild${n}`,
      name: 'work',
      lower_name: 'work',
      default_branch: 'main',
      is_private: true,
      is_ready: true,
      topics: '[]',
      units,
      created_at: now,
      updated_at: now,
    })),
  );
  for (const [table, column, counted, by] of [
    ['user', 'follower_count', 'user_follow', 'followed_id'],
    ['team', 'member_count', 'team_member', 'team_id'],
  ])
    await knex(table).update({
      [column]: knex(counted)
        .count('*')
        .where(by, knex.ref(`${table}.id`)),
    });
  return {
    owner: { id: firstUser, name: 'crowd0' },
    member: { id: firstUser + 1, name: 'crowd1' },
    teamId: idOfTeam(0, 1),
  };
}

/** What is asked about them: a name, the path below the API, who asks, and whether it is a list. */
export const peopleRows = (teamId) => [
  ['user get', '/users/crowd5', 'owner', false],
  ['user search', '/users/search?q=crowd5&limit=50', 'owner', true],
  ['followers', '/users/crowd0/followers?limit=50', 'owner', true],
  ['organization get', '/orgs/guild0', 'owner', false],
  ['organizations', '/orgs?limit=50', 'owner', true],
  ['organizations of a person', '/users/crowd2/orgs?limit=50', 'owner', true],
  ['own organizations', '/user/orgs?limit=50', 'member', true],
  ['members', '/orgs/guild0/members?limit=50', 'owner', true],
  ['public members', '/orgs/guild0/public_members?limit=50', 'owner', true],
  ['teams', '/orgs/guild0/teams?limit=50', 'owner', true],
  ['team search', '/orgs/guild0/teams/search?q=team&limit=50', 'owner', true],
  ['own teams', '/user/teams?limit=50', 'member', true],
  ['team get', `/teams/${teamId}`, 'owner', false],
  ['team members', `/teams/${teamId}/members?limit=50`, 'owner', true],
  ['team repositories', `/teams/${teamId}/repos?limit=50`, 'owner', true],
  ['repositories of an organization', '/orgs/guild0/repos?limit=50', 'member', true],
  ['permissions in an organization', '/users/crowd1/orgs/guild0/permissions', 'owner', false],
  ['repository, as its owner', '/repos/guild0/work', 'owner', false],
  ['repository, in ten teams', '/repos/guild0/work', 'member', false],
  ['accounts of the site', '/admin/users?limit=50', 'admin', true],
  ['addresses of the site', '/admin/emails?limit=50', 'admin', true],
  ['organizations of the site', '/admin/orgs?limit=50', 'admin', true],
];
