// A site with people, organizations, teams and repositories of every visibility, and the actors that look at it. What each
// may do is told here from the specification, apart from the code that decides it.
import { createHost } from '@mortise/core';
import { reply } from '@mortise/plugin-sdk';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { pluginNames } from '../support/plugin-names.mjs';

export const rank = { none: 0, read: 1, write: 2, admin: 3, owner: 4 };
export const categories = [
  'activitypub',
  'admin',
  'issue',
  'misc',
  'notification',
  'organization',
  'package',
  'repository',
  'user',
];
/** In whatever is hidden: names, descriptions, contents. Nobody may read it who may not see the thing. */
export const canary = 'zqxv';
/** Answer of a handler that was reached but not run. */
export const reached = 299;

export const password = 'Tr1cky-passw0rd!';
const nobody = {
  kind: 'anonymous',
  id: 0,
  name: '',
  isAdmin: false,
  isRestricted: false,
  method: '',
  publicOnly: false,
};
const visibilities = ['public', 'limited', 'private'];
export const people = {
  public: 'owner',
  limited: `half-${canary}`,
  private: `hermit-${canary}`,
};
export const organizations = { public: 'openorg', limited: `halforg-${canary}`, private: `shutorg-${canary}` };
const collaborators = { reader: 'read', writer: 'write', keeper: 'admin', guest: 'read' };
/** Teams with single units, and what they hold. */
const unitTeams = {
  coder: { code: 'read' },
  releaser: { releases: 'write' },
  wikier: { wiki: 'write' },
  packer: { packages: 'write' },
};
const allUnits = ['code', 'issues', 'pulls', 'releases', 'wiki', 'projects', 'packages', 'actions'];

async function databaseSettings(name) {
  if (process.env.MORTISE_TEST_ENGINE !== 'mysql') return { drop: () => undefined };
  const url = new URL(process.env.MORTISE_TEST_MYSQL);
  const connection = await createConnection({ host: url.hostname, port: Number(url.port), user: 'root' });
  await connection.query(`create database \`${name}\``);
  return {
    database: { DB_TYPE: 'mysql', HOST: url.host, NAME: name, USER: 'root' },
    drop: async () => {
      await connection.query(`drop database \`${name}\``);
      await connection.end();
    },
  };
}

/**
 * Starts the host with all plugins and fills it. `settings`: of the site, beside those that tests need; `isEmpty`: with
 * nobody there but `root`.
 */
export async function startSite({ settings = {}, onStatement, isEmpty = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'mortise-authz-'));
  const engine = await databaseSettings(`mortise_authz_${process.pid}_${Date.now() % 1e9}`);
  const host = await createHost({
    workDir: folder,
    environment: {},
    plugins: pluginNames(),
    settings: {
      ...settings,
      server: { HTTP_PORT: 0, HTTP_ADDR: '127.0.0.1', WORKERS: 1 },
      security: { SECRET_KEY: 'ab'.repeat(32), ...settings.security },
      ...(engine.database && { database: engine.database }),
    },
    logLevel: 'none',
    onStatement,
    actorOf: (app) => app?.mortiseActor,
  });
  await host.start({ background: false });

  async function as(actor, method, url, payload, headers = {}) {
    const isText = typeof payload === 'string';
    const answer = await host.inject({
      method,
      url,
      payload: payload === undefined || isText ? payload : JSON.stringify(payload),
      headers: { ...(payload !== undefined && !isText && { 'content-type': 'application/json' }), ...headers },
      app: actor && { mortiseActor: actor },
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.payload,
      // read by few who walk all routes, and costs more than many a refusal
      get json() {
        try {
          return JSON.parse(answer.payload);
        } catch {
          return undefined;
        }
      },
    };
  }
  async function make(actor, method, path, payload) {
    const made = await as(actor, method, `/api/v1${path}`, payload);
    if (made.status >= 300) throw new Error(`${method} ${path}: ${made.status} ${made.text}`);
    return made.json;
  }

  /** Delivers events and runs jobs until none is left. */
  async function settle() {
    do await host.events.deliverAll();
    while ((await host.jobs.runDue()) > 0);
  }

  const users = {};
  async function user(name, more = {}) {
    const command = { username: name, password, email: `${name}@example.com`, admin: name === 'root' };
    await host.runCommand('admin user create', command, () => {});
    const first = { ...nobody, kind: 'user', id: 1, name: 'root', isAdmin: true, method: 'test' };
    const admin = users.root ?? first;
    const { id } = await make(admin, 'GET', `/users/${name}`);
    users[name] = {
      ...nobody,
      kind: 'user',
      id,
      name,
      isAdmin: name === 'root',
      isRestricted: Boolean(more.restricted),
      method: 'test',
    };
    if (Object.keys(more).length)
      await make(users.root, 'PATCH', `/admin/users/${name}`, { source_id: 0, login_name: name, ...more });
    return users[name];
  }

  /** Scopes of a token that is good for all. */
  const everything = Object.fromEntries(categories.map((one) => [one, 'write']));
  await user('root');
  const close = async () => {
    await host.stop();
    await engine.drop();
    rmSync(folder, { recursive: true, force: true });
  };
  if (isEmpty) return { host, users, user, as, make, settle, everything, password, close };
  for (const visibility of visibilities)
    await user(people[visibility], visibility === 'public' ? {} : { visibility, full_name: `Full ${canary}` });
  for (const name of ['outsider', ...Object.keys(collaborators), 'chief', 'captain', 'scribe', 'member'])
    await user(name, name === 'guest' ? { restricted: true } : {});
  for (const name of Object.keys(unitTeams)) await user(name);
  await user('restricted', { restricted: true });

  const teamNames = Object.fromEntries(
    visibilities.map((seen) => [seen, `${seen}-${seen === 'public' ? 'crew' : canary}`]),
  );
  const teams = {};
  for (const visibility of visibilities) {
    const org = organizations[visibility];
    const description = visibility === 'public' ? 'open' : `about ${canary}`;
    await make(users.chief, 'POST', '/orgs', { username: org, visibility, description });
    const team = async (name, members, more) => {
      const made = await make(users.chief, 'POST', `/orgs/${org}/teams`, { name, ...more });
      for (const member of members) await make(users.chief, 'PUT', `/teams/${made.id}/members/${member}`);
      return made.id;
    };
    const everywhere = { includes_all_repositories: true };
    const map = (units) => Object.fromEntries(Object.entries(units).map(([key, mode]) => [`repo.${key}`, mode]));
    for (const [name, units] of Object.entries(unitTeams))
      await team(`${name}s`, [name], { units_map: map(units), ...everywhere });
    await team('captains', ['captain'], { permission: 'admin', ...everywhere });
    const all = Object.fromEntries(allUnits.map((unit) => [unit, 'write']));
    await team('scribes', ['scribe'], { permission: 'write', units_map: map(all), ...everywhere });
    teams[visibility] = {};
    for (const seen of visibilities)
      teams[visibility][seen] = await team(teamNames[seen], ['member'], {
        units_map: map({ code: 'read' }),
        visibility: seen,
      });
  }

  const places = [];
  for (const [kind, owners] of [
    ['user', people],
    ['organization', organizations],
  ])
    for (const visibility of visibilities) {
      const name = owners[visibility];
      const by = kind === 'user' ? users[name] : users.chief;
      for (const isPrivate of [false, true]) {
        const repo = isPrivate ? `hidden-${canary}` : 'open';
        const isOpen = !isPrivate && visibility === 'public';
        const path = kind === 'user' ? '/user/repos' : `/orgs/${name}/repos`;
        const { id } = await make(by, 'POST', path, {
          name: repo,
          private: isPrivate,
          auto_init: true,
          description: isOpen ? 'open' : `about ${canary}`,
        });
        for (const [who, permission] of Object.entries(collaborators))
          await make(by, 'PUT', `/repos/${name}/${repo}/collaborators/${who}`, { permission });
        places.push({ owner: name, repo, id, kind, visibility, isPrivate, isOpen, title: `${name}/${repo}` });
      }
    }

  /** By name: who acts, and as whom rights are counted. */
  const actors = { anonymous: { actor: nobody, who: 'anonymous' } };
  for (const [name, actor] of Object.entries(users)) actors[name] = { actor, who: name };
  for (const name of ['owner', 'chief'])
    actors[`${name}, public only`] = {
      actor: { ...users[name], method: 'token', scopes: everything, publicOnly: true, credentialId: 1 },
      who: name,
    };
  actors['owner, application'] = {
    actor: { ...users.owner, method: 'oauth2', scopes: everything, credentialId: 1 },
    who: 'owner',
  };
  actors['owner, application that knows who it is'] = {
    actor: { ...users.owner, method: 'oauth2', scopes: { user: 'read' }, publicOnly: true, credentialId: 2 },
    who: 'owner',
  };

  const isMember = (who, { kind }) =>
    kind === 'organization' && (who === 'chief' || who in unitTeams || ['captain', 'scribe', 'member'].includes(who));

  /** What an actor may do in a repository: on a unit, or on its record. */
  function modeOf({ actor, who }, place, unit) {
    const { owner, kind, visibility, isPrivate, isOpen } = place;
    if (actor.publicOnly && !isOpen) return 'none';
    if (who === 'anonymous') return isOpen ? 'read' : 'none';
    if (actor.isAdmin || who === owner) return 'owner';
    const ofOrganization = kind === 'organization';
    if (ofOrganization && (who === 'chief' || who === 'captain')) return 'owner';
    const seen = isPrivate
      ? 'none'
      : visibility === 'public' ||
          (visibility === 'limited' && !actor.isRestricted) ||
          (isMember(who, place) && !actor.isRestricted)
        ? 'read'
        : 'none';
    const whole = collaborators[who] ?? seen;
    if (!ofOrganization) return whole;
    const units = who === 'scribe' ? Object.fromEntries(allUnits.map((one) => [one, 'write'])) : unitTeams[who];
    if (!units) return whole;
    if (unit !== undefined) return rank[units[unit] ?? 'none'] > rank[whole] ? units[unit] : whole;
    return whole === 'none' ? 'read' : whole;
  }

  /** What an actor may do with the packages of the owner of a place. */
  function packageModeOf({ actor, who }, { owner, kind, visibility }) {
    if (actor.isAdmin || who === owner) return 'owner';
    if (kind === 'organization') {
      if (who === 'chief' || who === 'captain') return 'owner';
      if (who === 'scribe' || who === 'packer') return 'write';
      if (isMember(who, { kind })) return 'read';
    }
    if (visibility === 'public') return 'read';
    if (visibility !== 'limited' || who === 'anonymous') return 'none';
    return actor.isRestricted && kind === 'organization' ? 'none' : 'read';
  }

  /** May the actor know of the account? */
  function sees({ actor, who }, { owner, kind, visibility }) {
    if (actor.publicOnly) return visibility === 'public';
    if (actor.isAdmin || who === owner || visibility === 'public') return true;
    if (who === 'anonymous') return false;
    if (kind === 'organization' && isMember(who, { kind })) return true;
    return visibility === 'limited' && !actor.isRestricted;
  }

  /** Answers {@link reached} in the place of what a route does. */
  let isProbing = false;
  let reachedBy;
  for (const { value: outer } of host.routes())
    // those that find inner routes by themselves check the access of these
    for (const route of outer.inner ?? [outer]) {
      const { handler } = route;
      route.handler = (context) => {
        if (!isProbing) return handler.call(route, context);
        reachedBy = context.actor;
        return reply.empty(reached);
      };
    }
  async function probe(...call) {
    isProbing = true;
    try {
      return (await as(...call)).status;
    } finally {
      isProbing = false;
    }
  }

  return {
    host,
    users,
    actors,
    places,
    teams,
    teamNames,
    everything,
    as,
    make,
    probe,
    /** Who acted where a handler was reached last. */
    reachedBy: () => reachedBy,
    modeOf,
    sees,
    isMember,
    packageModeOf,
    routes: host
      .routes()
      .flatMap(({ owner, value }) => (value.inner ?? [value]).map((route) => ({ plugin: owner, route }))),
    close,
  };
}

const common = {
  branch: 'main',
  tag: 'none',
  ref: 'main',
  sha: 'main',
  filepath: 'README.md',
  rest: 'branch/main',
  basehead: 'main...main',
  archive: 'main.zip',
  collaborator: 'reader',
  target: 'owner',
  task: 'none',
};

/** The address of a route at a place. */
export function fill(path, { owner, repo, id, org = owner, username = owner, team, teamId }) {
  const isTeam = path.startsWith('/api/v1/teams/');
  const values = {
    ...common,
    owner,
    repo,
    org,
    username,
    team: team ?? 'Owners',
    template_owner: owner,
    template_repo: repo,
    id: isTeam ? teamId : path.startsWith('/api/v1/repositories/') ? id : 1,
  };
  return path.replace(/\{(\w+)[?*+\d]*\}/g, (_, name) => encodeURI(String(values[name] ?? '1')));
}

export const surfaceOf = (route) => route.surface ?? (route.path.startsWith('/api/') ? 'api' : 'page');
export const isReading = ({ method }) => ['GET', 'HEAD', 'OPTIONS'].includes(method);
export const scopesOf = ({ access }) => (access.scope === undefined ? [] : [access.scope].flat());
