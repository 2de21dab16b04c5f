// What one answer hides, every other hides: lists, searches, feeds and pages say nothing of what the record refuses, and
// strangers get nothing from any address that names something hidden. Walks every route, so new plugins are covered.
// Time: about 60 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { canary, fill, isReading, organizations, people, startSite, surfaceOf } from './site.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const maxShown = 60;
const page = (path, at = 1) => `${path}${path.includes('?') ? '&' : '?'}limit=50&page=${at}`;

const isSecond = process.env.MORTISE_TEST_ENGINE === 'mysql';
/**
 * What is hidden is decided by the same code: on the second database those who ask take turns at the addresses, one of
 * `share`. Addresses alternate between two places, so turns do not.
 */
const isInTurn = (address, asker, share) => !isSecond || (address + (address >> 1) + asker) % share === 0;

/** Records within an answer, told by their shape: the path of each, where it is read by itself. */
const recordsOf = [
  ['followers_count', (one) => one.id > 0 && `/users/${one.login}`],
  ['repo_admin_change_team_access', (one) => `/orgs/${one.username ?? one.name}`],
  ['clone_url', (one) => `/repos/${one.full_name}`],
  ['includes_all_repositories', (one) => `/teams/${one.id}`],
];

/** Lists that clients expect to say more than the record, and to whom. */
const knownToShowMore = [
  // members, and administrators of the repository: all teams that have it
  [/\/repos\/[^/]+\/[^/]+\/teams/, /^\/teams\//],
  // administrators of the repository: everybody whom they gave something
  [/\/repos\/owner\/open\/(collaborators|assignees|reviewers)/, /^\/users\//],
];

function* recordsIn(value) {
  if (Array.isArray(value)) for (const one of value) yield* recordsIn(one);
  else if (typeof value === 'object' && value !== null) {
    for (const [mark, pathOf] of recordsOf) {
      const path = mark in value && pathOf(value);
      if (path) yield path;
    }
    for (const [key, one] of Object.entries(value)) {
      // who reads a repository is told whose it is
      if (key === 'owner' && 'clone_url' in value) continue;
      yield* recordsIn(one);
    }
  }
}

describe('lists and records', { timeout: 600_000 }, () => {
  let site;
  let reads;
  before(async () => {
    site = await startSite();
    await relate();
    reads = site.routes.map(({ route }) => route).filter(({ method }) => method === 'GET');
  });
  after(() => site?.close());

  /** Hidden people do in public what others do: they star, watch, follow, fork, belong and are asked. */
  async function relate() {
    const { users, make, host } = site;
    for (const name of [people.private, people.limited]) {
      const by = users[name];
      await make(by, 'PUT', '/user/starred/owner/open');
      await make(by, 'PUT', '/repos/owner/open/subscription');
      await make(by, 'PUT', '/user/following/owner');
      await make(users.owner, 'PUT', `/user/following/${name}`);
      await make(by, 'POST', '/repos/owner/open/forks', { name: `fork-${canary}` });
      await make(users.owner, 'PUT', `/repos/owner/open/collaborators/${name}`, { permission: 'write' });
      await make(users.chief, 'PUT', `/teams/${site.teams.public.public}/members/${name}`);
      await make(by, 'PUT', `/orgs/openorg/public_members/${name}`);
    }
    for (const org of [organizations.limited, organizations.private])
      await make(users.member, 'PUT', `/orgs/${org}/public_members/member`);
    await make(users.owner, 'PUT', `/user/starred/${people.limited}/open`);
    await make(users.owner, 'PUT', `/user/starred/owner/hidden-${canary}`);
    await make(users.owner, 'PUT', `/repos/owner/hidden-${canary}/subscription`);
    await make(users.owner, 'POST', `/repos/owner/hidden-${canary}/releases`, { tag_name: 'v1', name: canary });
    await make(users.owner, 'PUT', `/repos/owner/hidden-${canary}/topics`, { topics: [canary] });
    for (const [by, owner] of [
      [users[people.private], people.private],
      [users.chief, organizations.private],
    ]) {
      const made = await site.as(by, 'PUT', `/api/packages/${owner}/generic/${canary}/1.0/file.bin`, 'content');
      expect(made.status, made.text).to.equal(201);
    }
    await host.events.deliverAll();
  }

  const strangers = () =>
    ['anonymous', 'outsider', 'restricted', 'owner, public only'].map((name) => [name, site.actors[name].actor]);
  const shown = (wrong) => (wrong.length > maxShown ? [`${wrong.length} wrong`, ...wrong.slice(0, maxShown)] : wrong);

  /** Addresses about what everybody may see. */
  const openUrls = () => {
    const urls = new Set();
    const [open] = site.places;
    const openOrg = site.places.find(({ kind }) => kind === 'organization');
    for (const route of reads)
      for (const place of [open, openOrg])
        urls.add(
          fill(route.path, {
            ...place,
            org: 'openorg',
            username: place.kind === 'user' ? 'owner' : 'openorg',
            teamId: site.teams.public.public,
            team: 'public-crew',
          }),
        );
    for (const path of ['/repos/search', '/users/search', '/topics/search']) {
      urls.add(`/api/v1${path}`);
      urls.add(`/api/v1${path}?q=${canary.slice(0, 3)}`);
    }
    for (const path of ['/explore/repos', '/explore/users', '/explore/organizations', '/explore/code'])
      urls.add(`${path}?q=${canary.slice(0, 3)}`);
    for (const tab of ['repositories', 'stars', 'followers', 'following', 'activity', 'packages', 'organizations'])
      for (const name of ['owner', 'openorg', 'member']) urls.add(`/${name}?tab=${tab}`);
    for (const path of ['', '/orgs', '/repos', '/activities/feeds', '/starred', '/subscriptions'])
      urls.add(`/api/v1/users/member${path}`);
    return [...urls].filter((url) => !url.includes(canary));
  };

  it('no answer about what is open says anything of what is hidden', async () => {
    const wrong = [];
    let asked = 0;
    for (const [address, url] of openUrls().entries())
      for (const [asker, [name, actor]] of strangers().entries()) {
        if (!isInTurn(address, asker, 2)) continue;
        // limited accounts are for whoever is signed in
        const hidden = name === 'outsider' ? [people.private, organizations.private, `hidden-${canary}`] : [canary];
        // pages take no tokens
        if (actor.method === 'token' && !url.startsWith('/api/')) continue;
        const { status, text, headers } = await site.as(actor, 'GET', url);
        asked++;
        if (status >= 500) wrong.push(`GET ${url} as ${name} → ${status}`);
        for (const word of hidden) {
          const at = text.indexOf(word);
          if (at >= 0)
            wrong.push(
              `GET ${url} as ${name} → ${status}: …${text.slice(Math.max(0, at - 60), at + 30).replace(/\s+/g, ' ')}`,
            );
          if (JSON.stringify(headers).includes(word)) wrong.push(`GET ${url} as ${name}: headers name ${word}`);
        }
      }
    expect(asked).to.be.above(1000);
    expect(shown(wrong)).to.equal([]);
  });

  it('strangers get nothing from addresses that name something hidden, whatever the method', async () => {
    const wrong = [];
    const victims = [
      { owner: people.private, repo: 'open', org: organizations.private, username: people.private },
      { owner: 'owner', repo: `hidden-${canary}`, org: organizations.private, username: people.private },
      { owner: organizations.private, repo: 'open', username: organizations.private },
    ].map((one) => ({
      ...one,
      id: site.places.find(({ owner, repo }) => owner === one.owner && repo === one.repo).id,
      teamId: site.teams.private.private,
      team: site.teamNames.private,
    }));
    const names = /\{(owner|org|username|template_owner)\W/;
    /** Of hidden accounts clients are told that they have nothing (the statuses are those of the API that they know). */
    const isEmpty = ({ status, text, json }) =>
      status === 200 && (Array.isArray(json) ? json.length === 0 : text === '');
    // that strangers are refused is decided by the same code: on the second database a share of the routes is enough
    const routes = site.routes.filter((_, index) => !isSecond || index % 4 === 0);
    for (const { route } of routes) {
      // clients expect to follow and block whoever there is; the answer says no more than that
      if (/^\/api\/v1\/user\/(following|blocks)\/\{username\}$/.test(route.path)) continue;
      const isNamed = names.test(route.path) || /^\/api\/v1\/(teams|repositories)\/\{id\}/.test(route.path);
      // what clients of NuGet read before they sign in is the same for every owner (C6)
      const isOpen = route.access.resource?.id === 'packages.protocolOwner' && route.access.mode === undefined;
      if (isOpen) continue;
      if (!isNamed || route.method === '*' || route.method === 'OPTIONS') continue;
      for (const victim of victims)
        for (const [name, actor] of strangers()) {
          // the account itself is open
          if (victim.owner === 'owner' && !route.path.includes('{repo')) continue;
          if (actor.method === 'token' && surfaceOf(route) === 'page') continue;
          const url = fill(route.path, victim);
          const answer = await site.as(actor, route.method, url, isReading(route) ? undefined : {});
          const { status } = answer;
          const isRefused = status >= 400 && status < 500;
          const isSentToSignIn = status === 303 && /\/user\/login/.test(answer.headers.location ?? '');
          if (isRefused || isSentToSignIn || (route.method === 'GET' && isEmpty(answer))) continue;
          wrong.push(`${route.method} ${url} as ${name} → ${status} ${answer.text.slice(0, 80)}`);
        }
    }
    expect(shown(wrong)).to.equal([]);
  });

  it('every record within an answer is one that the same actor may read by itself', async () => {
    const wrong = new Set();
    const urls = openUrls().filter((url) => url.startsWith('/api/v1/'));
    urls.push(
      ...['/users/search', '/repos/search', '/orgs', '/user/repos', '/user/orgs', '/user/teams'].map((path) =>
        page(`/api/v1${path}`),
      ),
    );
    for (const [asker, [name, { actor }]] of Object.entries(site.actors).entries()) {
      const known = new Map();
      const mayRead = async (path) => {
        if (!known.has(path)) known.set(path, (await site.as(actor, 'GET', `/api/v1${path}`)).status === 200);
        return known.get(path);
      };
      if (actor.method === 'oauth2') continue;
      for (const url of urls.filter((_, address) => isInTurn(address, asker, 3))) {
        const { status, json } = await site.as(actor, 'GET', url);
        if (status !== 200) continue;
        for (const path of recordsIn(json)) {
          if (knownToShowMore.some(([where, what]) => where.test(url) && what.test(path))) continue;
          if (!(await mayRead(path))) wrong.add(`GET ${url} as ${name} shows ${path}`);
        }
      }
    }
    expect(shown([...wrong])).to.equal([]);
  });

  it('searches and lists find every record that the actor may read', async () => {
    const wrong = [];
    const names = {
      users: (json) => json.data.map((one) => one.login),
      orgs: (json) => json.map((one) => one.username),
    };
    const all = async (actor, path, pick) => {
      const found = [];
      for (let at = 1; ; at++) {
        const { json } = await site.as(actor, 'GET', page(`/api/v1${path}`, at));
        const items = pick(json);
        found.push(...items);
        if (items.length < 50) return found.sort();
      }
    };
    const full = (json) => (json.data ?? json).map((one) => one.full_name);
    const readable = async (actor, paths) => {
      const kept = [];
      for (const path of paths)
        if ((await site.as(actor, 'GET', `/api/v1${path}`)).status === 200)
          kept.push(path.split('/').slice(2).join('/'));
      return kept.sort();
    };
    const { root } = site.users;
    const everything = {
      users: (await all(root, '/users/search', names.users)).map((one) => `/users/${one}`),
      repos: (await all(root, '/repos/search', full)).map((one) => `/repos/${one}`),
      orgs: (await all(root, '/orgs', names.orgs)).map((one) => `/orgs/${one}`),
    };
    expect(everything.repos.length).to.be.above(13);
    for (const [name, { actor, who }] of Object.entries(site.actors)) {
      if (actor.method === 'oauth2') continue;
      const compare = (what, found, expected) => {
        if (JSON.stringify(found) !== JSON.stringify(expected))
          wrong.push(
            `${what} as ${name}: missing ${expected.filter((one) => !found.includes(one))}; too much ${found.filter((one) => !expected.includes(one))}`,
          );
      };
      compare('repositories', await all(actor, '/repos/search', full), await readable(actor, everything.repos));
      // clients know: restricted accounts find nobody but themselves by searching, and private organizations are not listed
      if (!actor.isRestricted)
        compare('users', await all(actor, '/users/search', names.users), await readable(actor, everything.users));
      if (!actor.isRestricted || who === 'restricted') {
        const orgs = await readable(actor, everything.orgs);
        const expected = actor.isAdmin ? orgs : orgs.filter((one) => one !== organizations.private);
        if (!actor.isRestricted) compare('organizations', await all(actor, '/orgs', names.orgs), expected);
      }
      for (const owner of [...Object.values(people), ...Object.values(organizations)]) {
        const isOrganization = Object.values(organizations).includes(owner);
        const path = isOrganization ? `/orgs/${owner}/repos` : `/users/${owner}/repos`;
        if ((await site.as(actor, 'GET', `/api/v1${path}`)).status !== 200) continue;
        const own = everything.repos.filter((one) => one.startsWith(`/repos/${owner}/`));
        compare(path, await all(actor, path, full), await readable(actor, own));
      }
    }
    expect(shown(wrong)).to.equal([]);
  });
});
